# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# A convolution with a border of zeros: 27 terms, those beyond the edge left out by a predicate.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((8, 8, 3), "float32"), W: T.Buffer((3, 3, 3, 4), "float32"), Y: T.Buffer((8, 8, 4), "float32")):
        T.func_attr({"tirx.noalias": True})
        P = T.sblock_alloc_buffer((10, 10, 3), "float32")
        for y, x, c in T.grid(10, 10, 3):
            with T.sblock("P"):
                v_y, v_x, v_c = T.axis.remap("SSS", [y, x, c])
                T.reads(X[v_y - 1, v_x - 1, v_c])
                T.writes(P[v_y, v_x, v_c])
                P[v_y, v_x, v_c] = T.if_then_else(1 <= v_y and v_y < 9 and 1 <= v_x and v_x < 9, X[v_y - 1, v_x - 1, v_c], T.float32(0.0))
        for y, x, f, ry, rx, rc in T.grid(8, 8, 4, 3, 3, 3):
            with T.sblock("Y"):
                v_y, v_x, v_f, v_ry, v_rx, v_rc = T.axis.remap("SSSRRR", [y, x, f, ry, rx, rc])
                T.reads(P[v_y + v_ry, v_x + v_rx, v_rc], W[v_ry, v_rx, v_rc, v_f])
                T.writes(Y[v_y, v_x, v_f])
                with T.init():
                    Y[v_y, v_x, v_f] = T.float32(0.0)
                Y[v_y, v_x, v_f] = Y[v_y, v_x, v_f] + P[v_y + v_ry, v_x + v_rx, v_rc] * W[v_ry, v_rx, v_rc, v_f]
