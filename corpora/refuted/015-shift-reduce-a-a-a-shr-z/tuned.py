# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.uint16, s1: T.uint16, O: T.Buffer((1,), "int64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        O[0] = T.int64(9223372036854775805)
        for i in range(4):
            t: T.let[T.uint16] = s1
            O[0] = O[0] & T.Cast("int64", T.min(T.RShift(s0 & t, T.uint16(29)) * T.uint16(5), T.uint16(65535)))
