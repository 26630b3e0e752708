# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# exp(x / 24) and a blend, element by element.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((600,), "float32"), W: T.Buffer((600,), "float32"), Y: T.Buffer((600,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(600):
            with T.sblock("Y"):
                v_i = T.axis.spatial(600, i)
                Y[v_i] = T.exp(X[v_i] * T.float32(0.041666666666666664)) * X[v_i] + W[v_i] * T.float32(0.3)
