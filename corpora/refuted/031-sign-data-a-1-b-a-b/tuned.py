# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint8", layout=None), X1: T.Buffer((4,), "uint8", layout=None), X2: T.Buffer((4,), "uint8", layout=None), O: T.Buffer((4,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.uint8()
        for i in range(4):
            O[i] = T.Let(T.Select(v <= T.min(X0[1], T.uint8(253)), X0[1] % T.uint8(3), X1[i]), where={v: X0[1]})
