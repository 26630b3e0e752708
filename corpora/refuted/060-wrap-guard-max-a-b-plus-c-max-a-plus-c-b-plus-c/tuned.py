# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "uint64", layout=None), X2: T.Buffer((2,), "uint64", layout=None), X3: T.Buffer((2,), "uint8", layout=None), G: T.Buffer((219,), "uint8", layout=None), O: T.Buffer((2,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        M = T.alloc_buffer((2,), "uint64", layout=None)
        for r in range(T.uint16(2)):
            M[r] = T.Cast("uint64", r) & T.uint64(1)
        for i in range(T.uint16(2)):
            O[i] = T.if_then_else(T.max(X0[i] + X2[i], M[i] + X2[i]) <= T.uint64(219), G[T.Cast("int32", X2[i]) + 7], X3[i])
