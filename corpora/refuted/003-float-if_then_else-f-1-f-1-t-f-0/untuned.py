# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "float32", layout=None), s1: T.uint32, O: T.Buffer((8,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.if_then_else(X0[i] > T.float32(-1.0) and X0[i] < T.float32(1.0), s1, s1)
