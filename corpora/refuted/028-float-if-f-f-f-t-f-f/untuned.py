# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((2,), "float32", layout=None), s1: T.uint16, s2: T.int32, O: T.Buffer((2,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.float32()
        for i in range(2):
            if T.Let(T.truncmod(T.if_then_else(v == v, T.max(s1, T.uint16(32768)), s1), T.uint16(4)) >= T.uint16(65460), where={v: X0[0]}):
                O[i] = s2
