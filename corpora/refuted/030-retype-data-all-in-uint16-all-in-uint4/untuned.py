# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.uint4, s1: T.uint64, O: T.Buffer((1,), "uint64", layout=None), Q: T.Buffer((1,), "int4", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for r in range(1):
            Q[r] = T.Cast("int4", T.Cast("uint4", (T.Cast("uint16", s0) >> T.uint16(13)) // T.uint16(3)) >> T.IntImm("uint4", 1))
        for i in range(1):
            O[i] = T.Cast("uint64", Q[i])
