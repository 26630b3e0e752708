# SPDX-License-Identifier: Apache-2.0
# tanh is a formula that cancels for small arguments.
# expect tvm-llvm explained functions=tvm
# expect tvm-c explained functions=float
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i)
                C[v_i] = T.tanh(A[v_i])
