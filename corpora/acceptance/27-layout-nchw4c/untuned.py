# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, o: T.handle):
    n = T.int32()
    m = T.int32()
    h = T.int32()
    w = T.int32()
    O = T.match_buffer(o, (n, m, h, w, 4), "float32")
    A = T.match_buffer(a, (n, m * 4, h, w), "float32")
    for i, c, y, x in T.grid(n, m * 4, h, w):
        O[i, c // 4, y, x, c % 4] = T.max(A[i, c, y, x], T.float32(0))
