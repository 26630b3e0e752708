# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), X: T.Buffer((16,), "int32"), B: T.Buffer((16, 8), "float32")):
    for i, j in T.grid(16, 8):
        B[i, j] = A[X[i], j]
