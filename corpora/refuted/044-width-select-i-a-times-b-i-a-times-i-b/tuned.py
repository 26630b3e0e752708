# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "int8", layout=None), X1: T.Buffer((4,), "int8", layout=None), s2: T.int32, X3: T.Buffer((4,), "int32", layout=None), s4: T.int32, O: T.Buffer((4,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.uint8(4)):
            t: T.let[T.int32] = X3[i]
            O[i] = T.Select(T.Select(s2 <= t, T.Cast("int32", X0[i]) * T.Cast("int32", X1[i] >> T.int8(4)), s4) < X3[i], T.uint8(249), i)
