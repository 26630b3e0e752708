# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint8", layout=None), X1: T.Buffer((4,), "int32", layout=None), G: T.Buffer((16,), "uint8", layout=None), O: T.Buffer((4,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int64(4)):
            O[i] = T.if_then_else(T.Cast("int32", X0[i] + X0[i]) > X1[1], G[T.Cast("int32", X0[i])], X0[i])
