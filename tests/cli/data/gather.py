# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6,), "float32"), X: T.Buffer((20,), "int32"), C: T.Buffer((20,), "float32")):
    for i in range(20):
        C[i] = A[X[i]]
