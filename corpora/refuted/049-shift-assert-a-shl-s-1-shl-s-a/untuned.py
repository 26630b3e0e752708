# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint12", layout=None), X1: T.Buffer((4,), "uint12", layout=None), X2: T.Buffer((4,), "uint64", layout=None), O: T.Buffer((4,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            assert (X0[i] << T.IntImm("uint12", 9)) // T.IntImm("uint12", 512) // T.IntImm("uint12", 4095) + (X1[i] & T.IntImm("uint12", 3)) <= X1[i], ("RuntimeError", ["holds"])
            O[i] = X2[i]
