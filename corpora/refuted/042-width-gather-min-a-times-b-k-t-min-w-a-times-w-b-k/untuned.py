# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint8", layout=None), X1: T.Buffer((2,), "uint32", layout=None), s2: T.uint8, G: T.Buffer((8,), "uint8", layout=None), O: T.Buffer((2,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            O[i] = G[T.Cast("int32", T.min(T.Cast("uint32", X0[i]) * X1[i], T.uint32(154)) // T.uint32(2) & T.uint32(7))]
