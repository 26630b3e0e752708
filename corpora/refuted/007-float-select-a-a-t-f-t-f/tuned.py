# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint4", layout=None), s1: T.float32, O: T.Buffer((1,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(1):
            O[i] = T.Select(T.Cast("uint8", s1) == T.Cast("uint8", s1), -42, 237)
