# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint8", layout=None), X1: T.Buffer((4,), "int32", layout=None), X2: T.Buffer((4,), "uint64", layout=None), G: T.Buffer((7,), "int32", layout=None), O: T.Buffer((4,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            if T.Cast("uint64", X0[i] << T.uint8(7)) == T.min(X2[i], T.uint64(1)):
                O[i] = G[T.Cast("int32", T.min(X0[i], T.uint8(6)))]
