# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int8", layout=None), O: T.Buffer((8,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            O[i] = T.Select(T.min(X0[i], T.int8(3)) % T.int8(6) - X0[i] == T.int8(-128), T.uint32(4294967217), T.uint32(0))
