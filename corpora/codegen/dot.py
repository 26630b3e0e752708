# SPDX-License-Identifier: Apache-2.0
# A sum of products in one accumulator.
# expect tvm-llvm exact
# expect tvm-llvm-native explained contract=left
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((1,), "float32")):
        for k in range(64):
            with T.sblock("C"):
                v_k = T.axis.reduce(64, k)
                with T.init():
                    C[0] = T.float32(0.0)
                C[0] = C[0] + A[v_k] * B[v_k]
