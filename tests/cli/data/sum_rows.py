# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((2, 300), "float32"), C: T.Buffer((2,), "float32")):
        for i, k in T.grid(2, 300):
            with T.sblock("C"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    C[v_i] = T.float32(0.0)
                C[v_i] = C[v_i] + A[v_i, v_k]
