# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int8"), Y: T.Buffer((8,), "int8"), C: T.Buffer((8,), "int8")):
    v = T.int8()
    for i in range(8):
        C[i] = T.Let(T.if_then_else(X[i] > T.int8(0), v, T.int8(0)), where={v: Y[i] // X[i]})
