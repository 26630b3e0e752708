# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint8", layout=None), X1: T.Buffer((4,), "int64", layout=None), O: T.Buffer((4,), "int64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            O[T.min(T.max(T.Cast("int32", T.uint64(0) - T.Cast("uint64", X0[i] & T.uint8(3))), 0), 3)] = T.int64(-9223372036854775808)
