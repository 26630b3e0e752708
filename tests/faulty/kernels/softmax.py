# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# 100 rows of 16.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((100, 16), "float32"), Y: T.Buffer((100, 16), "float32")):
        T.func_attr({"tirx.noalias": True})
        M = T.sblock_alloc_buffer((100,), "float32")
        E = T.sblock_alloc_buffer((100, 16), "float32")
        Z = T.sblock_alloc_buffer((100,), "float32")
        for i, k in T.grid(100, 16):
            with T.sblock("M"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    M[v_i] = T.min_value("float32")
                M[v_i] = T.max(M[v_i], X[v_i, v_k])
        for i, k in T.grid(100, 16):
            with T.sblock("E"):
                v_i, v_k = T.axis.remap("SS", [i, k])
                E[v_i, v_k] = T.exp(X[v_i, v_k] - M[v_i])
        for i, k in T.grid(100, 16):
            with T.sblock("Z"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    Z[v_i] = T.float32(0.0)
                Z[v_i] = Z[v_i] + E[v_i, v_k]
        for i, k in T.grid(100, 16):
            with T.sblock("Y"):
                v_i, v_k = T.axis.remap("SS", [i, k])
                Y[v_i, v_k] = E[v_i, v_k] / Z[v_i]
