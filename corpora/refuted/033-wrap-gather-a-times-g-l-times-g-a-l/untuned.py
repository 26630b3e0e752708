# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint8", layout=None), s1: T.uint8, X2: T.Buffer((4,), "uint8", layout=None), G: T.Buffer((256,), "uint64", layout=None), O: T.Buffer((4,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.uint64(4)):
            O[i] = G[T.Cast("int32", T.truncmod(T.Select((X0[i] | X0[i]) * T.uint8(2) < T.uint8(6), s1, X2[i]), T.uint8(2)))]
