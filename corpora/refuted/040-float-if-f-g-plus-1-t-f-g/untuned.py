# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.float32, X1: T.Buffer((2,), "int4", layout=None), O: T.Buffer((2,), "int4", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            if s0 >= T.float32(9.0):
                O[i] = X1[i]
            else:
                O[i] = X1[i]
