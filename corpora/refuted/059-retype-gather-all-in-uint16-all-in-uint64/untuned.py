# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint16", layout=None), s1: T.uint16, X2: T.Buffer((2,), "uint16", layout=None), X3: T.Buffer((2,), "uint8", layout=None), G: T.Buffer((2,), "uint8", layout=None), O: T.Buffer((2,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.bool()
        for i in range(T.int64(2)):
            O[i] = G[T.Let(T.Cast("int32", T.if_then_else(not v, s1, X2[i]) & T.uint16(1)), where={v: X0[i] + X0[i] >= X0[i]})]
