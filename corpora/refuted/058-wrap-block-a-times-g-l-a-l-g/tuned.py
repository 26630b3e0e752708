# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int8", layout=None), O: T.Buffer((8,), "int64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v_1 = T.bool()
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in range(8):
                with T.sblock("b"):
                    v = T.axis.spatial(8, i)
                    T.where(T.Let(v_1, where={v_1: X0[0] <= T.int8(1)}))
                    T.reads()
                    T.writes()
                    O[v] = T.int64(-114)
