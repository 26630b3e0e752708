# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(B: T.Buffer((4,), "float32"), A: T.Buffer((2,), "float32"), X: T.Buffer((1,), "int32"), C: T.Buffer((2,), "float32")):
    C[1] = A[1]
    C[0] = B[X[0]] + B[X[0]]
