# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "uint16"), Y: T.Buffer((8,), "uint16"), C: T.Buffer((8,), "uint16")):
    for i in range(8):
        C[i] = T.bitwise_and(T.Cast("uint16", T.Cast("int16", X[i]) < T.Cast("int16", Y[i])), T.Cast("uint16", X[i] * T.uint16(40503) == T.uint16(45047)))
