# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint8", layout=None), X1: T.Buffer((8,), "int8", layout=None), G: T.Buffer((4,), "int32", layout=None), O: T.Buffer((8,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = G[T.min(T.max(T.Cast("int32", X0[i]), 0), 3)]
