# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "int16", layout=None), X1: T.Buffer((4,), "int16", layout=None), X2: T.Buffer((4,), "int16", layout=None), s3: T.int32, O: T.Buffer((4,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            O[i] = T.Cast("int32", T.if_then_else(X0[i] > T.int16(-90), T.min(T.max(X1[i], T.int16(-32767)), T.int16(6)), X2[0]))
