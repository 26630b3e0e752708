# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 32), "float16"), B: T.Buffer((8,), "float16")):
        total = T.sblock_alloc_buffer((8,), "float16")
        for i, k in T.grid(8, 32):
            with T.sblock("total"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    total[v_i] = T.float16(0)
                total[v_i] = total[v_i] + A[v_i, v_k]
        for i in range(8):
            with T.sblock("B"):
                v_i = T.axis.spatial(8, i)
                B[v_i] = total[v_i] * T.float16(0.03125)
