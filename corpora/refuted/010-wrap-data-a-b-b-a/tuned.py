# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "int16", layout=None), s1: T.int8, O: T.Buffer((2,), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            t: T.let[T.int8] = s1
            O[i] = T.if_then_else(T.int16(0) - T.Cast("int16", t) < X0[i], T.Cast("int16", s1) >> T.int16(1), X0[i])
