# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint8", layout=None), s1: T.int8, O: T.Buffer((8,), "int8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.Select(T.min(X0[i], T.uint8(3)) * X0[i] > T.uint8(15), s1, T.int8(0))
