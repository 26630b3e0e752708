# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(B: T.Buffer((4,), "float32"), A: T.Buffer((2,), "float32"), X: T.Buffer((1,), "int32"), C: T.Buffer((2,), "float32")):
    for i in range(2):
        C[i] = T.if_then_else(i < 1, B[X[i]] + B[X[0]], A[i])
