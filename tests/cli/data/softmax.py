# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# Rows scaled by a literal of many digits, then softmax.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((4, 32), "float32"), Y: T.Buffer((4, 32), "float32")):
        T.func_attr({"tirx.noalias": True})
        S = T.sblock_alloc_buffer((4, 32), "float32")
        M = T.sblock_alloc_buffer((4,), "float32")
        Z = T.sblock_alloc_buffer((4,), "float32")
        for i, k in T.grid(4, 32):
            with T.sblock("S"):
                v_i, v_k = T.axis.remap("SS", [i, k])
                S[v_i, v_k] = X[v_i, v_k] * T.float32(0.17677669529663687)
        for i, k in T.grid(4, 32):
            with T.sblock("M"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    M[v_i] = T.float32(-60000.0)
                M[v_i] = T.max(M[v_i], S[v_i, v_k])
        for i, k in T.grid(4, 32):
            with T.sblock("Z"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    Z[v_i] = T.float32(0.0)
                Z[v_i] = Z[v_i] + T.exp(S[v_i, v_k] - M[v_i])
        for i, k in T.grid(4, 32):
            with T.sblock("Y"):
                v_i, v_k = T.axis.remap("SS", [i, k])
                Y[v_i, v_k] = T.exp(S[v_i, v_k] - M[v_i]) / Z[v_i]
