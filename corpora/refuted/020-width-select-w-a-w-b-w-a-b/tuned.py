# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint32", layout=None), s1: T.uint8, X2: T.Buffer((2,), "uint64", layout=None), O: T.Buffer((2,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            O[i] = T.Select(T.Cast("uint64", X0[i] - T.max(X0[i], T.uint32(6))) > T.max(X2[i], T.uint64(184)), T.uint8(0), s1)
