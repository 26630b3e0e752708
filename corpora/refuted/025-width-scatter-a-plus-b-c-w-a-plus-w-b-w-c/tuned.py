# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "int8", layout=None), X2: T.Buffer((1,), "uint8", layout=None), O: T.Buffer((256,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int8(1)):
            O[T.min(T.max(T.Cast("int32", T.Select(T.Cast("int64", X0[i]) + T.Cast("int64", X0[i]) < T.Cast("int64", i), i, X0[i])), 0), 255) + 128] = X2[i]
