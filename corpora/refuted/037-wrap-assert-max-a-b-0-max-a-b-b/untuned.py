# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint32", layout=None), X1: T.Buffer((1,), "uint16", layout=None), X2: T.Buffer((1,), "int64", layout=None), O: T.Buffer((1,), "int64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(1):
            assert T.max(X0[i] % T.uint32(15) - T.Cast("uint32", X1[0]), T.uint32(0)) == X0[i], ("RuntimeError", ["holds"])
            O[i] = X2[i]
