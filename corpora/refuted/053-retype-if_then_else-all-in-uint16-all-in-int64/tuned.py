# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "int64", layout=None), X1: T.Buffer((1,), "int8", layout=None), X2: T.Buffer((1,), "int12", layout=None), O: T.Buffer((1,), "int8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((1,), "int12", layout=None)
        for r in range(1):
            M[r] = X2[r]
        for i in range(1):
            O[i] = T.if_then_else(T.Cast("int12", X0[0] // T.int64(4) // T.int64(5)) == M[i] >> T.IntImm("int12", 5), T.int8(3), X1[i])
