# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint32", layout=None), G: T.Buffer((1,), "uint8", layout=None), O: T.Buffer((1,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.uint32(1)):
            O[i] = T.if_then_else(T.Cast("int32", (X0[i] | X0[i]) - ((X0[i] ^ X0[i]) >> T.uint32(1))) < T.Cast("int32", i), G[T.Cast("int32", i)], T.uint8(2))
