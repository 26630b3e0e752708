# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint32", layout=None), s1: T.uint4, X2: T.Buffer((8,), "uint32", layout=None), O: T.Buffer((8,), "bool", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.if_then_else((X0[i] >> T.uint32(27)) % T.uint32(2) - T.Cast("uint32", s1) >= X0[i], X2[i], X0[i]) == T.uint32(1)
