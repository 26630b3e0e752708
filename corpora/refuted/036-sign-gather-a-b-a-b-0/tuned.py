# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint16", layout=None), X2: T.Buffer((8,), "uint16", layout=None), s3: T.int64, G: T.Buffer((4,), "int64", layout=None), O: T.Buffer((8,), "int64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.uint16(8)):
            t: T.let[T.int32] = T.Cast("int32", T.Select(i % T.uint16(9) > T.uint16(0), i, T.min(X2[i], T.uint16(12)))) % 4
            O[i] = G[t]
