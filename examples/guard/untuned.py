# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
        for i in range(10):
            with T.sblock("B"):
                v_i = T.axis.spatial(10, i)
                B[v_i] = T.max(A[v_i], T.float32(0))
