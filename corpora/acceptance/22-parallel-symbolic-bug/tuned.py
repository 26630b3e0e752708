# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n, m), "float32")
    C = T.match_buffer(c, (n,), "float32")
    tmp = T.alloc_buffer((1,), "float32")
    for i in T.parallel(n):
        tmp[0] = T.float32(0)
        for j in range(m):
            tmp[0] = tmp[0] + T.exp(A[i, j])
        C[i] = tmp[0]
