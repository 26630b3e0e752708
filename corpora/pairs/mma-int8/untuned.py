# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 64), "int8"), B: T.Buffer((8, 64), "int8"), C: T.Buffer((16, 8), "int32")):
    for i, j in T.grid(16, 8):
        C[i, j] = 0
        for k in range(64):
            C[i, j] = C[i, j] + T.Cast("int32", A[i, k]) * T.Cast("int32", B[j, k])
