# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float16"), B: T.Buffer((8, 8), "float16"), C: T.Buffer((16, 8), "float16")):
    for i, j in T.grid(16, 8):
        C[i, j] = A[(31 - (i % 8 * 4 + j // 2)) // 4 + i // 8 * 8, (31 - (i % 8 * 4 + j // 2)) % 4 * 2 + j % 2]
        for k in range(8):
            C[i, j] = C[i, j] + A[i, k] * B[k, j]
