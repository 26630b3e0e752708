# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "int32", layout=None), s1: T.int32, X2: T.Buffer((4,), "int32", layout=None), O: T.Buffer((4,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            if T.Select(T.min(T.max(X0[i], 262145), 2147483647) >= 0, s1, T.max(T.min(T.max(X0[i], -110), 7), X0[i])) < X0[i]:
                O[i] = s1
            else:
                O[i] = X2[i]
