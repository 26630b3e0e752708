# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "int16", layout=None), X1: T.Buffer((2,), "int16", layout=None), s2: T.uint32, X3: T.Buffer((2,), "uint32", layout=None), G: T.Buffer((32,), "uint32", layout=None), O: T.Buffer((2,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            O[i] = G[T.Cast("int32", T.min(T.max(T.Cast("int64", X0[i] & T.int16(7)) + T.Cast("int64", X1[i]), T.int64(0)), T.int64(31)))]
