# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint32", layout=None), s1: T.uint4, X2: T.Buffer((8,), "uint32", layout=None), O: T.Buffer((8,), "bool", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.uint64()
        for i in range(8):
            O[i] = T.Let(T.if_then_else((T.Cast("uint64", X0[i]) >> T.uint64(27)) % T.uint64(2) - v >= T.Cast("uint64", X0[i]), X2[i], X0[i]) == T.uint32(1), where={v: T.Cast("uint64", T.Cast("uint32", s1))})
