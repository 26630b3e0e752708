# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 24), "int32"), C: T.Buffer((4,), "int32")):
    X = T.alloc_buffer((4,), "int32")
    Y = T.alloc_buffer((4,), "int32")
    for i in range(4):
        X[i] = 0
        Y[i] = 1
        for k in range(24):
            x: T.let[T.int32] = X[i]
            X[i] = Y[i] + A[i, k]
            Y[i] = x - Y[i]
        C[i] = X[i] + Y[i]
