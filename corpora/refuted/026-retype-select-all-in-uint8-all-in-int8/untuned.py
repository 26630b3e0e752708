# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int8", layout=None), O: T.Buffer((8,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((8,), "int8", layout=None)
        for r in range(8):
            M[r] = X0[r]
        for i in range(8):
            O[i] = T.Select(T.Cast("int8", T.min(T.Cast("uint8", M[i]), T.uint8(3)) % T.uint8(6) - T.Cast("uint8", X0[i])) == T.int8(-128), T.uint32(4294967217), T.uint32(0))
