# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 1024), "float32"), B: T.Buffer((64, 1024), "float32"), C: T.Buffer((64, 1024), "float32"), D: T.Buffer((64,), "float32")):
    for i, j in T.grid(64, 1024):
        C[i, j] = A[i, j] * T.float32(2) + B[i, j] * T.float32(3)
    for i in range(64):
        D[i] = T.float32(0)
        for j in range(1024):
            D[i] = D[i] + A[i, j]
