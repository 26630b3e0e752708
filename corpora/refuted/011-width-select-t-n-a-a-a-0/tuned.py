# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint64", layout=None), X1: T.Buffer((4,), "uint8", layout=None), X2: T.Buffer((4,), "uint8", layout=None), O: T.Buffer((4,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            O[i] = T.Select(X0[1] >= T.uint64(0), X1[i], X2[i])
