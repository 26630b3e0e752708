# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 24), "int32"), C: T.Buffer((4,), "int32")):
    X = T.alloc_buffer((4,), "int32")
    Y = T.alloc_buffer((4,), "int32")
    for i in range(4):
        X[i] = 0
        Y[i] = 1
        for k0 in range(4):
            Y[i] = 1
            for k1 in range(6):
                x: T.let[T.int32] = Y[i] + A[i, k0 * 6 + k1]
                y: T.let[T.int32] = X[i] - Y[i]
                X[i] = x
                Y[i] = y
        C[i] = X[i] + Y[i]
