# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s2: T.uint32, O: T.Buffer((4,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int8(4)):
            if T.max(T.Cast("uint64", i), T.uint64(14)) ^ T.uint64(0) | T.uint64(1) < T.uint64(18446744073709551586):
                O[i] = T.uint32(12)
