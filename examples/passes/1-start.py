# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 30), "float32"), B: T.Buffer((30, 16), "float32"), D: T.Buffer((16, 16), "float32")):
        for i, j, k in T.grid(16, 16, 30):
            with T.sblock("D"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    D[v_i, v_j] = T.float32(0)
                D[v_i, v_j] = D[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
