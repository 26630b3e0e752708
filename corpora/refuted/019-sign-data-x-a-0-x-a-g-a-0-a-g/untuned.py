# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "int16", layout=None), X1: T.Buffer((4,), "int16", layout=None), X2: T.Buffer((4,), "int16", layout=None), O: T.Buffer((4,), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            O[i] = T.Select(T.Cast("uint8", X0[i]) >= T.uint8(0) and T.Cast("uint8", X0[i]) < T.uint8(7), X1[i], X0[i])
