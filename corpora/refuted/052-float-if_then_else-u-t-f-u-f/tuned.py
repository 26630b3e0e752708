# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.float32, X1: T.Buffer((8,), "bool", layout=None), s2: T.uint8, X3: T.Buffer((8,), "uint32", layout=None), X4: T.Buffer((8,), "uint8", layout=None), O: T.Buffer((8,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((8,), "uint8", layout=None)
        for r in range(8):
            M[r] = s2
        for i in range(8):
            O[i] = T.if_then_else(T.if_then_else(X1[i], T.Cast("uint8", s0), M[i]) != T.min(X4[i], T.uint8(2)), X3[i], X3[i])
