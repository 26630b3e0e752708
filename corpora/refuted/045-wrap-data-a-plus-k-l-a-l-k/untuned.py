# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "int16", layout=None), X1: T.Buffer((4,), "int16", layout=None), X2: T.Buffer((4,), "int16", layout=None), s3: T.int32, O: T.Buffer((4,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((1,), "int16", layout=None)
        for i in range(4):
            M[0] = T.min(T.max(X1[i], T.int16(-32767)), T.int16(6))
            O[i] = T.Cast("int32", T.if_then_else(X0[i] + T.int16(90) > T.int16(0), M[0], X2[0]))
