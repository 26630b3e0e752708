# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(acc: T.Buffer((6, 16), "int32"), bias: T.Buffer((16,), "int32"), out: T.Buffer((6, 16), "int8")):
        for i, j in T.grid(6, 16):
            with T.sblock("out"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                out[v_i, v_j] = T.Cast("int8", T.max(T.min(acc[v_i, v_j] + bias[v_j], 127), -128))
