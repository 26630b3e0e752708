# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((6, 9), "float16"), W: T.Buffer((3, 3, 4), "float16"), Y: T.Buffer((4, 3, 4), "float16")):
        T.func_attr({"tirx.noalias": True})
        for y, x, f, r, c in T.grid(4, 3, 4, 3, 3):
            with T.sblock("Y"):
                v_y, v_x, v_f, v_r, v_c = T.axis.remap("SSSRR", [y, x, f, r, c])
                T.reads(X[v_y + v_r, v_x * 3 + v_c], W[v_r, v_c, v_f])
                T.writes(Y[v_y, v_x, v_f])
                with T.init():
                    Y[v_y, v_x, v_f] = T.float16(0.0)
                Y[v_y, v_x, v_f] = Y[v_y, v_x, v_f] + X[v_y + v_r, v_x * 3 + v_c] * W[v_r, v_c, v_f]
