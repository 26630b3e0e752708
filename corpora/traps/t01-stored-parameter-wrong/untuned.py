# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), X: T.Buffer((8,), "int32"), P: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        P[i] = X[i] + X[i]
        C[i] = A[i]
