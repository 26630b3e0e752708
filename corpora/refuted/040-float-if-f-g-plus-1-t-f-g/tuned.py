# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(s0: T.float32, X1: T.Buffer((2,), "int4", layout=None), O: T.Buffer((2,), "int4", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in range(2):
                with T.sblock("b"):
                    v = T.axis.spatial(2, i)
                    T.reads()
                    T.writes()
                    if T.Cast("uint64", s0) > T.uint64(8):
                        O[v] = X1[v]
                    else:
                        O[v] = X1[v]
