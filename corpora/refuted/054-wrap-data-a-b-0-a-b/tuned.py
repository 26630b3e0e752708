# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint32", layout=None), X1: T.Buffer((4,), "uint32", layout=None), s2: T.uint32, X3: T.Buffer((4,), "uint32", layout=None), s4: T.uint12, X5: T.Buffer((4,), "uint12", layout=None), O: T.Buffer((4,), "uint12", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            O[i] = T.Cast("uint12", T.Select(T.max(T.min(X0[i], T.uint32(4)), T.min(X0[i], T.uint32(12))) > X1[i], s2, X3[i] % T.uint32(12)))
