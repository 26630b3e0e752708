# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((8,), "int8", layout=None), O: T.Buffer((8,), "int64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in range(8):
                with T.sblock("b"):
                    v = T.axis.spatial(8, i)
                    T.where(X0[0] * T.int8(5) <= T.int8(7))
                    T.reads()
                    T.writes()
                    O[v] = T.int64(-114)
