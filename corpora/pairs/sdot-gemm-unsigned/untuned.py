# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 16), "int8"), B: T.Buffer((128,), "int8"), C: T.Buffer((4, 8), "int32")):
    for i, j in T.grid(4, 8):
        C[i, j] = 0
        for k in range(16):
            C[i, j] = C[i, j] + T.Cast("int32", A[i, k]) * T.Cast("int32", B[j // 4 * 64 + k // 4 * 16 + j % 4 * 4 + k % 4])
