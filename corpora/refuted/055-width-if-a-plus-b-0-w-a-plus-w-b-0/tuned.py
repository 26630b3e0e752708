# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.int4, X1: T.Buffer((8,), "int8", layout=None), O: T.Buffer((8,), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v_1 = T.int8()
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in range(8):
                with T.sblock("b"):
                    v = T.axis.spatial(8, i)
                    T.reads()
                    T.writes()
                    if T.Let(T.Cast("int32", v_1) + T.Cast("int32", X1[v]) >= 0, where={v_1: T.Cast("int8", s0)}):
                        O[v] = T.int16(-32767)
                    else:
                        O[v] = T.int16(5)
