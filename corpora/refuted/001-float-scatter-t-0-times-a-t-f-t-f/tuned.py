# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s1: T.float32, s2: T.int32, O: T.Buffer((8,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.uint8(2)):
            O[T.Cast("int32", T.Cast("uint8", s1) - T.Cast("uint8", s1)) % 8] = s2
