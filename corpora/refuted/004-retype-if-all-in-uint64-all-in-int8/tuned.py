# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s2: T.uint32, O: T.Buffer((4,), "uint32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int8(4)):
            if T.max(i, T.int8(14)) ^ T.int8(0) | T.int8(1) < T.int8(-30):
                O[i] = T.uint32(12)
