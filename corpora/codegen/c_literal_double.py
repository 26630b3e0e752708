# SPDX-License-Identifier: Apache-2.0
# C prints a double with seven digits.
# expect tvm-llvm exact
# expect tvm-c wrong literals were printed with 7 digits
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float64"), C: T.Buffer((4,), "float64")):
        for i in range(4):
            with T.sblock("C"):
                v_i = T.axis.spatial(4, i)
                C[v_i] = A[v_i] * T.float64(0.3333333333333333)
