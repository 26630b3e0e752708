# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.uint32, X1: T.Buffer((4,), "uint64", layout=None), G: T.Buffer((8,), "uint64", layout=None), O: T.Buffer((4,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            O[i] = G[T.Cast("int32", T.Cast("uint32", T.Cast("uint64", s0) >> T.uint64(51)))]
