# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    A = T.match_buffer(a, (11, 3), "float32")
    C = T.match_buffer(c, (11, 3), "float32")
    for i, j in T.grid(11, 3):
        C[i, j] = A[i, j] * T.float32(2)
