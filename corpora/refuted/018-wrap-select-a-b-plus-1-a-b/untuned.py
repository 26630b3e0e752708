# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "int16", layout=None), X1: T.Buffer((2,), "int16", layout=None), X2: T.Buffer((2,), "uint16", layout=None), O: T.Buffer((2,), "uint16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            O[i] = T.Select(X0[i] < X1[i] + T.int16(1), X2[i], T.uint16(65476))
