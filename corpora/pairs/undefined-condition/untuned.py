# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A0: T.Buffer((3,), "int32", layout=None), D1: T.Buffer((3,), "int32", layout=None), C2: T.Buffer((3,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i0 in range(3):
                with T.sblock("C2"):
                    v1 = T.axis.spatial(3, i0)
                    T.reads(A0[v1], D1[0:3], A0[0:3])
                    T.writes(C2[v1])
                    C2[v1] = A0[v1] * T.if_then_else(D1[v1] > 3, A0[v1], A0[v1])
