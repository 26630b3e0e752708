# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), X: T.Buffer((8,), "int32"), C: T.Buffer((6,), "float32")):
    for j, i in T.grid(2, 4):
        C[X[i * 2 + j]] = C[X[i * 2 + j]] + A[i * 2 + j]
