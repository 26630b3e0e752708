# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint8", layout=None), X1: T.Buffer((2,), "int16", layout=None), G: T.Buffer((4,), "int16", layout=None), O: T.Buffer((2,), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.int32()
        for i in range(2):
            O[i] = G[T.Let(v, where={v: T.Cast("int32", T.Cast("int16", (X0[i] & T.uint8(5)) % T.uint8(5) * (X0[i] % T.uint8(5)) % T.uint8(5)) + X1[i]) & 3})]
