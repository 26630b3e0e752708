# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((2,), "int8"), Y: T.Buffer((4,), "int8"), O: T.Buffer((4,), "int8")):
    for i in range(4):
        O[i] = X[T.Cast("int32", Y[i] >> T.int8(7)) + 1] // T.int8(-6) // T.int8(2)
