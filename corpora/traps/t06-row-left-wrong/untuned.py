# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), X: T.Buffer((1,), "int32"), B: T.Buffer((8,), "int32")):
    S = T.alloc_buffer((2, 8), "int32")
    for j in range(8):
        S[0, j] = A[j]
    for j in range(8):
        S[1, j] = A[j]
    S[0, X[0]] = 7
    for j in range(8):
        B[j] = S[1, j]
