# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), B: T.Buffer((2, 8), "float32"), C: T.Buffer((2, 8), "float32"), D: T.Buffer((2,), "float32")):
    for i, j in T.grid(2, 8):
        C[i, j] = A[i, j] * T.float32(2) + B[i, j] * T.float32(3)
    for i in range(2):
        D[i] = T.float32(0)
        for j in range(8):
            D[i] = D[i] + A[i, j]
