# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float16"), C: T.Buffer((8, 8), "float16")):
    for tx in range(32):
        for i in range(2):
            C[tx // 4, tx % 4 * 2 + i] = A[tx // 4, tx % 4 * 2 + i]
