# SPDX-License-Identifier: Apache-2.0
# C has no inff.
# expect tvm-llvm exact
# expect tvm-c error inff
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 8):
            with T.sblock("C"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    C[v_i] = T.float32("-inf")
                C[v_i] = T.max(C[v_i], A[v_i, v_k])
