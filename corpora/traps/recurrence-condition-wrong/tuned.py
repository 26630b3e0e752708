# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int16"), B: T.Buffer((4,), "int16"), C: T.Buffer((1,), "int16")):
    X = T.alloc_buffer((1,), "int16")
    D = T.alloc_buffer((1,), "int16")
    D[0] = T.int16(3)
    for k in range(4):
        D[0] = D[0] * B[k] - D[0]
    X[0] = T.int16(1)
    for k in range(4):
        X[0] = T.if_then_else(X[0] > T.int16(0), X[0] * A[k] - D[0] * X[0], X[0] * A[k] - X[0])
    C[0] = X[0]
