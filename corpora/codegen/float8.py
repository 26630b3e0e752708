# SPDX-License-Identifier: Apache-2.0
# A conversion to float8 whose result is not stored does nothing.
# expect tvm-llvm explained half=float8
# expect tvm-c explained half=float8
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.Cast("float32", T.Cast("float8_e4m3fn", A[v_i]))
