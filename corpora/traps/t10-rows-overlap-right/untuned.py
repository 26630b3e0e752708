# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "int32"), B: T.Buffer((7, 4), "int32")):
    for i, j in T.grid(7, 4):
        B[i, j] = A[i + 1, j]
