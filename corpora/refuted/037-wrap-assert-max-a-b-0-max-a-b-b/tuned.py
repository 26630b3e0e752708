# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint32", layout=None), X1: T.Buffer((1,), "uint16", layout=None), X2: T.Buffer((1,), "int64", layout=None), O: T.Buffer((1,), "int64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.uint32()
        for i in range(1):
            assert T.Let(T.max(X0[i] % T.uint32(15), v) - v == X0[i], where={v: T.Cast("uint32", X1[0])}), ("RuntimeError", ["holds"])
            O[i] = X2[i]
