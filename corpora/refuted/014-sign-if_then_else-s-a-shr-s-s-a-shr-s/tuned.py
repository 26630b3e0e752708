# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint8", layout=None), X1: T.Buffer((8,), "uint64", layout=None), s2: T.int8, O: T.Buffer((8,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.if_then_else(T.Cast("int8", X0[i] >> T.uint8(5)) == s2, X1[2], T.uint64(18446744073709551615))
