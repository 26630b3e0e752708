# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint8", layout=None), s1: T.uint8, O: T.Buffer((1,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(1):
            if (X0[i] >> T.uint8(6)) - X0[i] >= X0[i] and X0[i] == T.uint8(17):
                O[i] = T.uint8(1)
            else:
                O[i] = s1
