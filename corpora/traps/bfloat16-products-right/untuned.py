# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 64), "bfloat16"), B: T.Buffer((64, 16), "bfloat16"), C: T.Buffer((32, 16), "float32")):
    for i, j in T.grid(32, 16):
        C[i, j] = T.float32(0)
        for k in range(64):
            C[i, j] = C[i, j] + T.Cast("float32", A[i, k]) * T.Cast("float32", B[k, j])
