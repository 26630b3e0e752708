# SPDX-License-Identifier: Apache-2.0
# Of float8 that is read, zero and subnormal numbers become others.
# expect tvm-llvm unexplained
# expect tvm-c wrong
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float8_e4m3fn"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.Cast("float32", A[v_i])
