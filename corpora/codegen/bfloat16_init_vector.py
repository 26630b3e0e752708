# SPDX-License-Identifier: Apache-2.0
# A vectorised literal of bfloat16 is not legalised.
# expect tvm-llvm error dtype mismatch on BufferStore
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(C: T.Buffer((8,), "bfloat16")):
        for i in T.vectorized(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.bfloat16(0.0)
