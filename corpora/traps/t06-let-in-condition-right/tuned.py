# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int8"), Y: T.Buffer((1,), "int8"), C: T.Buffer((1,), "int8")):
    v = T.int8()
    C[0] = T.if_then_else(T.Let(T.if_then_else(X[0] > T.int8(0), v, T.int8(0)), where={v: Y[0] // T.int8(2)}) > T.int8(0) and Y[0] // T.int8(2) < T.int8(8), X[T.Cast("int32", Y[0] // T.int8(2))], Y[0])
