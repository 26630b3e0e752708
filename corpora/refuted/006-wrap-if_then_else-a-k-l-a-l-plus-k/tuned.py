# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "uint32", layout=None), O: T.Buffer((8,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((8,), "uint32", layout=None)
        for r in range(8):
            M[r] = X0[4]
        for i in range(8):
            O[i] = T.if_then_else(M[i] < T.uint32(4), -84, 3)
