# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
    S = T.alloc_buffer((8, 8), "int32", strides=(4, 1))
    for i, j in T.grid(8, 8):
        S[i, j] = A[i, j]
    for i, j in T.grid(8, 8):
        B[i, j] = S[i, j]
