# SPDX-License-Identifier: Apache-2.0
# Two truth values are compared as floats.
# expect tvm-llvm error FCmp
# expect tvm-c exact
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                if (A[v_i] > T.float32(0.0)) == (v_i < 5):
                    C[v_i] = A[v_i]
                else:
                    C[v_i] = T.float32(0.0)
