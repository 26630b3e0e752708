# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint8", layout=None), s1: T.uint8, X2: T.Buffer((2,), "uint8", layout=None), X3: T.Buffer((2,), "uint32", layout=None), G: T.Buffer((2,), "uint32", layout=None), O: T.Buffer((2,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            O[i] = T.if_then_else(T.Cast("uint8", T.Cast("uint32", T.min(T.max(X0[i], T.uint8(0)), T.uint8(147))) * T.Cast("uint32", s1 - X2[i]) // T.uint32(2)) > T.uint8(0), G[T.Cast("int32", X2[i])], X3[i])
