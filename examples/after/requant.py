# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# Eight elements at once; the lower end of the clip is lost.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(acc: T.Buffer((6, 16), "int32"), bias: T.Buffer((16,), "int32"), out: T.Buffer((6, 16), "int8")):
        for i, j_0 in T.grid(6, 2):
            for j_1 in T.vectorized(8):
                with T.sblock("out"):
                    v_i = T.axis.spatial(6, i)
                    v_j = T.axis.spatial(16, j_0 * 8 + j_1)
                    out[v_i, v_j] = T.Cast("int8", T.min(acc[v_i, v_j] + bias[v_j], 127))
