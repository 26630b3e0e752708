# SPDX-License-Identifier: Apache-2.0
# C adds two uint8 as int.
# expect tvm-llvm exact
# expect tvm-c wrong no operation rounds
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "uint8"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.Cast("int32", A[v_i] + T.uint8(250))
