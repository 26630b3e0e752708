# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), X: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float32")):
    for io in T.parallel(2):
        for ii in range(4):
            C[io * 4 + ii] = A[X[io * 4 + ii]]
