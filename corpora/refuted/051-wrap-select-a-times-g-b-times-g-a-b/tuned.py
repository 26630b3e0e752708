# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint8", layout=None), X1: T.Buffer((2,), "uint8", layout=None), X2: T.Buffer((2,), "uint8", layout=None), X3: T.Buffer((2,), "bool", layout=None), s4: T.int16, O: T.Buffer((2,), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            t: T.let[T.uint8] = X1[i]
            O[i] = T.Select((X0[i] >> T.uint8(3) < t or X1[i] >= X2[i]) and X3[i], T.int16(3), s4)
