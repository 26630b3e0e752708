# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4, 16), "float32"), B: T.Buffer((4, 16), "float32")):
        largest = T.sblock_alloc_buffer((4,), "float32")
        power = T.sblock_alloc_buffer((4, 16), "float32")
        total = T.sblock_alloc_buffer((4,), "float32")
        for i, k in T.grid(4, 16):
            with T.sblock("largest"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[v_i] = T.min_value("float32")
                largest[v_i] = T.max(largest[v_i], A[v_i, v_k])
        for i, j in T.grid(4, 16):
            with T.sblock("power"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                power[v_i, v_j] = T.exp(A[v_i, v_j] - largest[v_i])
        for i, k in T.grid(4, 16):
            with T.sblock("total"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    total[v_i] = T.float32(0)
                total[v_i] = total[v_i] + power[v_i, v_k]
        for i, j in T.grid(4, 16):
            with T.sblock("B"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                B[v_i, v_j] = power[v_i, v_j] / total[v_i]
