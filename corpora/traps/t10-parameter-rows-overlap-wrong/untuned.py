# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "int32"), c: T.handle):
    C = T.match_buffer(c, (8, 8), "int32", strides=(4, 1))
    for i, j in T.grid(8, 8):
        C[i, j] = A[i, j]
