# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "int64", layout=None), X1: T.Buffer((1,), "int8", layout=None), X2: T.Buffer((1,), "int12", layout=None), O: T.Buffer((1,), "int8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(1):
            t: T.let[T.int64] = T.Cast("int64", T.Cast("uint16", X0[0]) // T.uint16(4) // T.uint16(5))
            O[i] = T.if_then_else(T.Cast("int12", t) == X2[i] >> T.IntImm("int12", 5), T.int8(3), X1[i])
