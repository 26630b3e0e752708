# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "int8", layout=None), X1: T.Buffer((4,), "int8", layout=None), G: T.Buffer((7,), "uint12", layout=None), O: T.Buffer((4,), "uint12", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.bool()
        for i in range(4):
            if T.Let(v, where={v: (X0[i] << T.int8(7) >> T.int8(3)) - X1[2] >= T.int8(0)}):
                O[i] = G[T.Cast("int32", X0[i])]
