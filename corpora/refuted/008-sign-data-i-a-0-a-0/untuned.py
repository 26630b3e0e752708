# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint64", layout=None), X1: T.Buffer((1,), "uint64", layout=None), O: T.Buffer((1,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(1):
            O[i] = T.if_then_else(T.Cast("int32", X0[i]) < 0, X0[i], X1[i])
