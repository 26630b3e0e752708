# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.uint8()
    A = T.match_buffer(a, (n,), "float32")
    C = T.match_buffer(c, (1,), "float32")
    C[0] = A[0] + T.float32(1)
