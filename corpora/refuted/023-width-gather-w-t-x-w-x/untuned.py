# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint64", layout=None), X1: T.Buffer((4,), "uint32", layout=None), G: T.Buffer((16,), "uint32", layout=None), O: T.Buffer((4,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            O[i] = G[T.Cast("int32", T.min(T.max(T.Cast("int64", T.Cast("int32", X0[i])), T.int64(0)), T.int64(15)))]
