# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int32", layout=None), X1: T.Buffer((8,), "int8", layout=None), X2: T.Buffer((8,), "int32", layout=None), O: T.Buffer((8,), "int8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((1,), "int32", layout=None)
        for i in range(8):
            M[0] = X2[i]
            O[i] = T.Select(T.LShift(X0[i], 40) >= M[0], X1[i], T.int8(-66))
