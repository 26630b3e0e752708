# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((1,), "int32")):
    X = T.alloc_buffer((1,), "int32")
    D = T.alloc_buffer((8,), "int32")
    for c in range(8):
        D[c] = 3
        for k in range(4):
            D[c] = D[c] * B[k] - D[c]
    X[0] = 1
    for k in range(4):
        X[0] = X[0] * A[k] - D[T.bitwise_and(X[0], 7)] * X[0]
    C[0] = X[0]
