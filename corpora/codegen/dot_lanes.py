# SPDX-License-Identifier: Apache-2.0
# The same in eight accumulators, side by side in one vector.
# expect tvm-llvm exact
# expect tvm-llvm-native explained contract=left
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((1,), "float32")):
        R = T.sblock_alloc_buffer((8,))
        for k in range(8):
            for l in T.vectorized(8):
                with T.sblock("R"):
                    v_l = T.axis.spatial(8, l)
                    v_k = T.axis.reduce(8, k)
                    with T.init():
                        R[v_l] = T.float32(0.0)
                    R[v_l] = R[v_l] + A[v_k * 8 + v_l] * B[v_k * 8 + v_l]
        for l in range(8):
            with T.sblock("C"):
                v_l = T.axis.reduce(8, l)
                with T.init():
                    C[0] = T.float32(0.0)
                C[0] = C[0] + R[v_l]
