# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint8", layout=None), X1: T.Buffer((1,), "int32", layout=None), G: T.Buffer((236,), "int32", layout=None), O: T.Buffer((1,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(1):
            t: T.let[T.uint8] = X0[i]
            O[i] = T.if_then_else(T.Cast("uint64", t) + T.uint64(255) < T.uint64(236), G[T.Cast("int32", X0[i])], 1023)
