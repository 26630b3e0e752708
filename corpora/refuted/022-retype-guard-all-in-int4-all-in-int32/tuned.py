# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "int4", layout=None), s1: T.int8, G: T.Buffer((3,), "int8", layout=None), O: T.Buffer((1,), "int8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int64(1)):
            if not T.Cast("int32", X0[i]) << 3 < 1:
                O[i] = G[T.Cast("int32", T.min(X0[i], T.IntImm("int4", 2)))]
