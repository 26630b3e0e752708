# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# mean and variance of 200 rows of 20.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((200, 20), "float32"), M: T.Buffer((200,), "float32"), V: T.Buffer((200,), "float32")):
        T.func_attr({"tirx.noalias": True})
        S = T.sblock_alloc_buffer((200,), "float32")
        Q = T.sblock_alloc_buffer((200,), "float32")
        for i, k in T.grid(200, 20):
            with T.sblock("S"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    S[v_i] = T.float32(0.0)
                S[v_i] = S[v_i] + X[v_i, v_k]
        for i in range(200):
            with T.sblock("M"):
                v_i = T.axis.spatial(200, i)
                M[v_i] = S[v_i] / T.float32(20.0)
        for i, k in T.grid(200, 20):
            with T.sblock("Q"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    Q[v_i] = T.float32(0.0)
                Q[v_i] = Q[v_i] + (X[v_i, v_k] - M[v_i]) * (X[v_i, v_k] - M[v_i])
        for i in range(200):
            with T.sblock("V"):
                v_i = T.axis.spatial(200, i)
                V[v_i] = Q[v_i] / T.float32(20.0)
