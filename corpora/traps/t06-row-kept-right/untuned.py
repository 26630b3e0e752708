# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), X: T.Buffer((16,), "int32"), B: T.Buffer((16, 8), "float32")):
    S = T.alloc_buffer((4, 8), "float32")
    for i, j in T.grid(4, 8):
        S[i, j] = A[i, j]
    for i, j in T.grid(16, 8):
        B[i, j] = S[X[i], j]
