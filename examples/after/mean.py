# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# The sum is kept in float32.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 32), "float16"), B: T.Buffer((8,), "float16")):
        total = T.sblock_alloc_buffer((8,), "float32")
        for i in range(8):
            for k in range(32):
                with T.sblock("total"):
                    v_i, v_k = T.axis.remap("SR", [i, k])
                    with T.init():
                        total[v_i] = T.float32(0)
                    total[v_i] = total[v_i] + T.Cast("float32", A[v_i, v_k])
            with T.sblock("B"):
                v_i = T.axis.spatial(8, i)
                B[v_i] = T.Cast("float16", total[v_i] * T.float32(0.03125))
