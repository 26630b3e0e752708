# SPDX-License-Identifier: Apache-2.0
# A value of the last iteration is read in this one: the allocation is moved into the loop.
# expect tvm-llvm wrong
# expect tvm-llvm-native wrong
# expect tvm-c wrong
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        P = T.sblock_alloc_buffer((4,))
        for i in range(4):
            with T.sblock("P"):
                v_i = T.axis.spatial(4, i)
                T.reads(A[v_i])
                T.writes(P[v_i])
                P[v_i] = A[v_i] * T.float32(2.0)
            with T.sblock("C"):
                v_i = T.axis.spatial(4, i)
                T.reads(P[T.max(v_i - 1, 0)])
                T.writes(C[v_i])
                C[v_i] = P[T.max(v_i - 1, 0)] + T.float32(1.0)
