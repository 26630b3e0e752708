# SPDX-License-Identifier: Apache-2.0
# An fma that is written is split where the processor has none; C has none at all.
# expect tvm-llvm explained contract=split
# expect tvm-llvm-native exact
# expect tvm-c error Unresolved call
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.fma(A[v_i], B[v_i], D[v_i])
