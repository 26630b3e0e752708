# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint16", layout=None), s1: T.uint16, X2: T.Buffer((2,), "uint16", layout=None), X3: T.Buffer((2,), "uint8", layout=None), G: T.Buffer((2,), "uint8", layout=None), O: T.Buffer((2,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((1,), "uint16", layout=None)
        for i in range(T.int64(2)):
            M[0] = T.if_then_else(not T.Cast("uint64", X0[i]) + T.Cast("uint64", X0[i]) >= T.Cast("uint64", X0[i]), s1, X2[i])
            O[i] = G[T.Cast("int32", M[0] & T.uint16(1))]
