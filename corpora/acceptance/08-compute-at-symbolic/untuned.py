# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n + 2,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    B = T.alloc_buffer((n + 2,), "float32")
    for i in range(n + 2):
        B[i] = T.exp(A[i])
    for i in range(n):
        C[i] = (B[i] + B[i + 1]) + B[i + 2]
