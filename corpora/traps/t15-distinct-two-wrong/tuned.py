# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), X: T.Buffer((8,), "int32"), Y: T.Buffer((8,), "int32"), C: T.Buffer((4,), "float32"), D: T.Buffer((9,), "float32")):
    for i in range(8):
        D[X[7 - i]] = A[7 - i]
    for i in range(8):
        C[Y[7 - i]] = A[7 - i]
