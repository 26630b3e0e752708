# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float16"), C: T.Buffer((32, 8), "float16")):
    for tx, i in T.grid(32, 8):
        C[tx, i] = A[tx // 4 + 8 * (i // 2 % 2), tx % 4 * 2 + i % 2 + 8 * (i // 4)]
