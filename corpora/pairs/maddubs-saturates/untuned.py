# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 32), "uint8"), B: T.Buffer((512,), "int8"), C: T.Buffer((4, 16), "int32")):
    for i, j in T.grid(4, 16):
        C[i, j] = 0
        for k in range(32):
            C[i, j] = C[i, j] + T.Cast("int32", A[i, k]) * T.Cast("int32", B[k // 4 * 64 + j * 4 + k % 4])
