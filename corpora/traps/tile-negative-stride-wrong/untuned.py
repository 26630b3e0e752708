# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float16")):
    for i, j in T.grid(16, 16):
        C[i, j] = A[15 - i, j]
