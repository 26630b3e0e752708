# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(D: T.Buffer((8, 18, 18), "float32"), G: T.Buffer((8, 8, 3, 3), "float32"), O: T.Buffer((8, 16, 16), "float32")):
    u = T.alloc_buffer((8, 8, 4, 4), "float32")
    w = T.alloc_buffer((4, 3), "float32")
    v = T.alloc_buffer((8, 4, 4), "float32")
    z = T.alloc_buffer((4, 4), "float32")
    mm = T.alloc_buffer((4, 4), "float32")
    for co, ci in T.grid(8, 8):
        for s in range(3):
            w[0, s] = G[co, ci, 0, s]
            w[1, s] = (G[co, ci, 0, s] + G[co, ci, 1, s] + G[co, ci, 2, s]) * T.float32(0.5)
            w[2, s] = (G[co, ci, 0, s] - G[co, ci, 1, s] + G[co, ci, 2, s]) * T.float32(0.5)
            w[3, s] = G[co, ci, 2, s]
        for r in range(4):
            u[co, ci, r, 0] = w[r, 0]
            u[co, ci, r, 1] = (w[r, 0] + w[r, 1] + w[r, 2]) * T.float32(0.5)
            u[co, ci, r, 2] = (w[r, 0] - w[r, 1] + w[r, 2]) * T.float32(0.5)
            u[co, ci, r, 3] = w[r, 2]
    for ty, tx in T.grid(8, 8):
        for ci in range(8):
            for s in range(4):
                z[0, s] = D[ci, ty * 2, tx * 2 + s] - D[ci, ty * 2 + 2, tx * 2 + s]
                z[1, s] = D[ci, ty * 2 + 1, tx * 2 + s] + D[ci, ty * 2 + 2, tx * 2 + s]
                z[2, s] = D[ci, ty * 2 + 2, tx * 2 + s] - D[ci, ty * 2 + 1, tx * 2 + s]
                z[3, s] = D[ci, ty * 2 + 1, tx * 2 + s] - D[ci, ty * 2 + 3, tx * 2 + s]
            for r in range(4):
                v[ci, r, 0] = z[r, 0] - z[r, 2]
                v[ci, r, 1] = z[r, 1] + z[r, 2]
                v[ci, r, 2] = z[r, 2] - z[r, 1]
                v[ci, r, 3] = z[r, 1] - z[r, 3]
        for co in range(8):
            for r, s in T.grid(4, 4):
                mm[r, s] = T.float32(0)
                for ci in range(8):
                    mm[r, s] = mm[r, s] + u[co, ci, r, s] * v[ci, r, s]
            for s in range(4):
                z[0, s] = mm[0, s] + mm[1, s] + mm[2, s]
                z[1, s] = mm[1, s] - mm[2, s] - mm[3, s]
            for y in range(2):
                O[co, ty * 2 + y, tx * 2] = z[y, 0] + z[y, 1] + z[y, 2]
                O[co, ty * 2 + y, tx * 2 + 1] = z[y, 1] - z[y, 2] - z[y, 3]
