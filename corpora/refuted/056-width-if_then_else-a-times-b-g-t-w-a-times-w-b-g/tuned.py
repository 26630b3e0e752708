# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "uint8", layout=None), O: T.Buffer((4,), "uint8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in range(4):
                with T.sblock("b"):
                    v = T.axis.spatial(4, i)
                    T.reads()
                    T.writes()
                    O[v] = T.if_then_else(T.truncmod(T.Cast("int4", T.Cast("uint8", T.Cast("uint16", X0[v]) * T.Cast("uint16", X0[v]) % T.uint16(9))), T.IntImm("int4", 6)) >= T.IntImm("int4", 2), T.uint8(15), T.uint8(2))
