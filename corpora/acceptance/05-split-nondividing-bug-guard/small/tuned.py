# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 10), "float32"), B: T.Buffer((10, 7), "float32"), C: T.Buffer((10, 7), "float32")):
    for i0, j0, k0, i1, j1, k1 in T.grid(3, 3, 3, 4, 3, 4):
        with T.sblock("c"):
            vi = T.axis.spatial(10, i0 * 4 + i1)
            vj = T.axis.spatial(7, j0 * 3 + j1)
            vk = T.axis.reduce(10, k0 * 4 + k1)
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
