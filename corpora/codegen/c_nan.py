# SPDX-License-Identifier: Apache-2.0
# In C, nanf is a function that is not called here.
# expect tvm-llvm exact
# expect tvm-c error
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.Select(A[v_i] > T.float32(0.0), A[v_i], T.float32("nan"))
