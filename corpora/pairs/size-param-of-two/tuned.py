# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle, m: T.int32):
    k = T.int32()
    A = T.match_buffer(a, (k, m), "float32")
    C = T.match_buffer(c, (k, m), "float32")
    for j in range(m):
        for i in range(k):
            C[i, j] = T.float32(2) * A[i, j]
