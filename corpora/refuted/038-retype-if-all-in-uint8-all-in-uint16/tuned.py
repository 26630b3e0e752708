# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint16", layout=None), X1: T.Buffer((2,), "bool", layout=None), X2: T.Buffer((2,), "uint8", layout=None), O: T.Buffer((2,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            t: T.let[T.bool] = X1[i]
            if X0[i] | T.uint16(1) >= T.uint16(8) and t:
                O[i] = X2[i]
            else:
                O[i] = T.uint8(254)
