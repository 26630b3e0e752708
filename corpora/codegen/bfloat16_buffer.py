# SPDX-License-Identifier: Apache-2.0
# bfloat16 stays in float32 through a buffer of the function.
# expect tvm-llvm explained half=bfloat16
# expect tvm-c explained half=bfloat16
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "bfloat16"), B: T.Buffer((64,), "bfloat16"), D: T.Buffer((64,), "bfloat16"), C: T.Buffer((64,), "bfloat16")):
        P = T.sblock_alloc_buffer((64,), "bfloat16")
        for i in range(64):
            with T.sblock("P"):
                v_i = T.axis.spatial(64, i)
                P[v_i] = A[v_i] * B[v_i]
        for i in range(64):
            with T.sblock("C"):
                v_i = T.axis.spatial(64, i)
                C[v_i] = P[v_i] + D[v_i]
