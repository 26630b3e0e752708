# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint32", layout=None), O: T.Buffer((8,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.if_then_else(X0[4] - T.uint32(1) < T.uint32(3), -84, 3)
