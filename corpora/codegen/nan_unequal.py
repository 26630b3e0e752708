# SPDX-License-Identifier: Apache-2.0
# NaN != x is false in code of llvm.
# expect tvm-llvm wrong
# expect tvm-c exact
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("C"):
                v_i = T.axis.spatial(4, i)
                C[v_i] = T.if_then_else(T.sqrt(A[v_i]) != B[v_i], T.float32(1.0), T.float32(2.0))
