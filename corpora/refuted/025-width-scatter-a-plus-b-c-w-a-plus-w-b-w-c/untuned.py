# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "int8", layout=None), X2: T.Buffer((1,), "uint8", layout=None), O: T.Buffer((256,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int8(1)):
            t: T.let[T.int32] = T.Cast("int32", T.Select(X0[i] + X0[i] < i, i, X0[i]))
            O[T.min(T.max(t, 0), 255) + 128] = X2[i]
