# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((40, 3), "float32"), X: T.Buffer((1,), "int32"), C: T.Buffer((3,), "float32")):
    for i in range(3):
        C[i] = A[T.if_then_else(X[0] == 23, 22, X[0]), i]
