# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# 24 x 24 maxima of 9.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((26, 26), "float32"), Y: T.Buffer((24, 24), "float32")):
        T.func_attr({"tirx.noalias": True})
        for y, x, r, s in T.grid(24, 24, 3, 3):
            with T.sblock("Y"):
                v_y, v_x, v_r, v_s = T.axis.remap("SSRR", [y, x, r, s])
                with T.init():
                    Y[v_y, v_x] = T.min_value("float32")
                Y[v_y, v_x] = T.max(Y[v_y, v_x], X[v_y + v_r, v_x + v_s])
