# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# 576 sums of 16 products of int8, kept in int16: sums wrap.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((24, 16), "int8"), B: T.Buffer((16, 24), "int8"), C: T.Buffer((24, 24), "int16")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(24, 24, 16):
            with T.sblock("C"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[v_i, v_j] = T.int16(0)
                C[v_i, v_j] = C[v_i, v_j] + T.Cast("int16", A[v_i, v_k]) * T.Cast("int16", B[v_k, v_j])
