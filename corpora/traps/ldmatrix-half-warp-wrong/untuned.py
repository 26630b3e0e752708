# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 16), "float16"), C: T.Buffer((8, 16), "float16")):
    for i, j in T.grid(8, 16):
        C[i, j] = A[i, j]
