# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# The loop over the filter's columns (rx) stands outside that over its rows (ry).
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def conv2d(X: T.Buffer((10, 10, 3), "float16"), W: T.Buffer((3, 3, 3, 8), "float16"), Y: T.Buffer((8, 8, 8), "float16")):
        for y in T.parallel(8):
            for x, rx, ry, rc in T.grid(8, 3, 3, 3):
                for f in T.vectorized(8):
                    with T.sblock("Y"):
                        v_y, v_x, v_f, v_ry, v_rx, v_rc = T.axis.remap("SSSRRR", [y, x, f, ry, rx, rc])
                        with T.init():
                            Y[v_y, v_x, v_f] = T.float16(0)
                        Y[v_y, v_x, v_f] = Y[v_y, v_x, v_f] + X[v_y + v_ry, v_x + v_rx, v_rc] * W[v_ry, v_rx, v_rc, v_f]
