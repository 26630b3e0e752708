# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint8", layout=None), O: T.Buffer((4,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.uint8()
        for i in range(4):
            O[i] = T.if_then_else(T.Let(T.truncmod(T.Cast("int4", v * X0[i] % T.uint8(9)), T.IntImm("int4", 6)) >= T.IntImm("int4", 2), where={v: X0[i]}), T.uint8(15), T.uint8(2))
