# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    for o, i in T.grid((n + 3) // 4, 4):
        if o * 4 + i < n:
            C[o * 4 + i] = A[o * 4 + i] + T.float32(1)
