# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 16), "float32")
    C = T.match_buffer(c, (2,), "float32")
    C[0] = T.float32(0)
    for k in range(16):
        C[0] = C[0] + A[0, k]
