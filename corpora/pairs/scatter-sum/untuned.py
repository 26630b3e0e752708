# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 4), "float32"), X: T.Buffer((8,), "int32"), C: T.Buffer((6, 4), "float32")):
    for i, j in T.grid(8, 4):
        C[X[i], j] = C[X[i], j] + A[i, j]
