# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# 600 sums of 27 products.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((12, 12, 3), "float32"), W: T.Buffer((3, 3, 3, 6), "float32"), Y: T.Buffer((10, 10, 6), "float32")):
        T.func_attr({"tirx.noalias": True})
        for y, x, f, r, s, c in T.grid(10, 10, 6, 3, 3, 3):
            with T.sblock("Y"):
                v_y, v_x, v_f, v_r, v_s, v_c = T.axis.remap("SSSRRR", [y, x, f, r, s, c])
                with T.init():
                    Y[v_y, v_x, v_f] = T.float32(0.0)
                Y[v_y, v_x, v_f] = Y[v_y, v_x, v_f] + X[v_y + v_r, v_x + v_s, v_c] * W[v_r, v_s, v_c, v_f]
