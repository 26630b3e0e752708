# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint4", layout=None), s1: T.float32, O: T.Buffer((1,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((1,), "uint8", layout=None)
        for i in range(1):
            M[0] = T.Cast("uint8", X0[i])
            O[i] = T.Select(M[0] == M[0], -42, 237)
