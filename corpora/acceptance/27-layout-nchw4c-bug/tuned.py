# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, o: T.handle):
    n = T.int32()
    m = T.int32()
    h = T.int32()
    w = T.int32()
    O = T.match_buffer(o, (n, m, h, w, 4), "float32")
    A = T.match_buffer(a, (n, m * 4, h, w), "float32")
    P = T.alloc_buffer((n, m, h, w, 4), "float32")
    for i, c0, y, x in T.grid(n, m, h, w):
        for c1 in T.vectorized(4):
            P[i, c0, y, x, c1] = A[i, c0 * 4 + c1 % 2, y, x]
    for i, c0, y, x, c1 in T.grid(n, m, h, w, 4):
        O[i, c0, y, x, c1] = T.max(P[i, c0, y, x, c1], T.float32(0))
