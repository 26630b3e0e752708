# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# 100 rows of 24, float16 in and out, everything between in float32.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((100, 24), "float16"), G: T.Buffer((24,), "float16"), B: T.Buffer((24,), "float16"), Y: T.Buffer((100, 24), "float16")):
        T.func_attr({"tirx.noalias": True})
        S = T.sblock_alloc_buffer((100,), "float32")
        V = T.sblock_alloc_buffer((100,), "float32")
        for i, k in T.grid(100, 24):
            with T.sblock("S"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    S[v_i] = T.float32(0.0)
                S[v_i] = S[v_i] + T.Cast("float32", X[v_i, v_k])
        for i, k in T.grid(100, 24):
            with T.sblock("V"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    V[v_i] = T.float32(0.0)
                V[v_i] = V[v_i] + (T.Cast("float32", X[v_i, v_k]) - S[v_i] / T.float32(24.0)) * (T.Cast("float32", X[v_i, v_k]) - S[v_i] / T.float32(24.0))
        for i, k in T.grid(100, 24):
            with T.sblock("Y"):
                v_i, v_k = T.axis.remap("SS", [i, k])
                Y[v_i, v_k] = T.Cast("float16", (T.Cast("float32", X[v_i, v_k]) - S[v_i] / T.float32(24.0)) / T.sqrt(V[v_i] / T.float32(24.0) + T.float32(0.0001)) * T.Cast("float32", G[v_k]) + T.Cast("float32", B[v_k]))
