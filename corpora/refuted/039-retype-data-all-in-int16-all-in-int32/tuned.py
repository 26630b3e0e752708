# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int16", layout=None), X1: T.Buffer((8,), "int16", layout=None), X2: T.Buffer((8,), "int16", layout=None), s3: T.int16, X4: T.Buffer((8,), "int16", layout=None), O: T.Buffer((8,), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.Select(T.max((T.Cast("int32", X0[i]) << 12) - 32766, T.Cast("int32", X1[i])) >= 9, X2[0], s3) ^ X4[i]
