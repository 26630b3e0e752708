# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint32", layout=None), X1: T.Buffer((4,), "uint32", layout=None), X2: T.Buffer((4,), "uint8", layout=None), X3: T.Buffer((4,), "uint32", layout=None), G: T.Buffer((26,), "uint8", layout=None), O: T.Buffer((4,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            if X0[i] + X1[2] < X3[i]:
                O[i] = G[T.Cast("int32", X0[i])]
