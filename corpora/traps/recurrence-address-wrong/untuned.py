# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int16"), B: T.Buffer((4,), "int16"), C: T.Buffer((1,), "int16")):
    X = T.alloc_buffer((1,), "int16")
    D = T.alloc_buffer((8,), "int16")
    for c in range(8):
        D[c] = T.int16(3)
        for k in range(4):
            D[c] = T.if_then_else(T.bitwise_and(D[c], T.int16(7)) == T.Cast("int16", c), D[c] * B[k] - D[c], D[c] * B[k] + D[c])
    X[0] = T.int16(1)
    for k in range(4):
        X[0] = X[0] * A[k] - D[T.bitwise_and(X[0], T.int16(7))] * X[0]
    C[0] = X[0]
