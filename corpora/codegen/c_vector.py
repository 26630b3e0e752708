# SPDX-License-Identifier: Apache-2.0
# Vectorised loops become vectors that are no C.
# expect tvm-llvm exact
# expect tvm-c skipped no vectors
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in T.vectorized(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = A[v_i] + T.float32(1.0)
