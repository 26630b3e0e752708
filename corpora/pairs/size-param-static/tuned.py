# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle, m: T.int32):
    A = T.match_buffer(a, (m, 3), "float32")
    C = T.match_buffer(c, (m, 3), "float32")
    for j, i in T.grid(3, m):
        C[i, j] = T.float32(2) * A[i, j]
