# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n, m), "float32")
    C = T.match_buffer(c, (n,), "float32")
    for i in range(n):
        C[i] = T.float32(0)
        for j in range(m):
            C[i] = C[i] + T.exp(A[i, j])
