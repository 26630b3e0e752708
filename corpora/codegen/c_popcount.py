# SPDX-License-Identifier: Apache-2.0
# C has no popcount.
# expect tvm-llvm exact
# expect tvm-c error Unresolved call
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "uint32"), C: T.Buffer((8,), "uint32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.popcount(A[v_i])
