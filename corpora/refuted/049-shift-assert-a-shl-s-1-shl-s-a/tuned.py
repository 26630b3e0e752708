# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint12", layout=None), X1: T.Buffer((4,), "uint12", layout=None), X2: T.Buffer((4,), "uint64", layout=None), O: T.Buffer((4,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.uint12()
        for i in range(4):
            assert T.Let(v <= X1[i], where={v: X0[i] // T.IntImm("uint12", 4095) + (X1[i] & T.IntImm("uint12", 3))}), ("RuntimeError", ["holds"])
            O[i] = X2[i]
