# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int8", layout=None), X1: T.Buffer((8,), "int32", layout=None), X2: T.Buffer((8,), "int8", layout=None), O: T.Buffer((8,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.if_then_else(X0[i] // T.int8(-125) != X2[4], 1, X1[i])
