# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.int4, X1: T.Buffer((8,), "int8", layout=None), O: T.Buffer((8,), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            if T.Cast("int8", s0) + X1[i] >= T.int8(0):
                O[i] = T.int16(-32767)
            else:
                O[i] = T.int16(5)
