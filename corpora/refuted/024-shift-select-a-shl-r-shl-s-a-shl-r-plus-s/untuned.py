# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int32", layout=None), X1: T.Buffer((8,), "int8", layout=None), X2: T.Buffer((8,), "int32", layout=None), O: T.Buffer((8,), "int8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.Select(X0[i] << 15 << 25 >= X2[i], X1[i], T.int8(-66))
