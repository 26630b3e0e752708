# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# 300 sums of 50 in float16.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((300, 50), "float16"), Y: T.Buffer((300,), "float16")):
        T.func_attr({"tirx.noalias": True})
        for i, k in T.grid(300, 50):
            with T.sblock("Y"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    Y[v_i] = T.float16(0.0)
                Y[v_i] = Y[v_i] + X[v_i, v_k]
