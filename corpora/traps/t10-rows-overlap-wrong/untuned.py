# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
    for i, j in T.grid(8, 8):
        B[i, j] = A[i, j]
