# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def conv2d(image: T.Buffer((1, 230, 230, 3), "float16"), weight: T.Buffer((7, 7, 3, 64), "float16"), result: T.Buffer((1, 112, 112, 64), "float16")):
    wide = T.alloc_buffer((1, 112, 112, 64), "float32")
    for n, y, x, ry, f, rx, rc in T.grid(1, 112, 112, 7, 64, 7, 3):
        with T.sblock("conv"):
            v_n, v_y, v_x, v_f, v_ry, v_rx, v_rc = T.axis.remap("SSSSRRR", [n, y, x, f, ry, rx, rc])
            with T.init():
                wide[v_n, v_y, v_x, v_f] = T.float32(0)
            wide[v_n, v_y, v_x, v_f] = wide[v_n, v_y, v_x, v_f] + T.Cast("float32", image[v_n, v_y * 2 + v_ry, v_x * 2 + v_rx, v_rc]) * T.Cast("float32", weight[v_ry, v_rx, v_rc, v_f])
    for n, y, x, f in T.grid(1, 112, 112, 64):
        with T.sblock("narrow"):
            v_n, v_y, v_x, v_f = T.axis.remap("SSSS", [n, y, x, f])
            result[v_n, v_y, v_x, v_f] = T.Cast("float16", wide[v_n, v_y, v_x, v_f])
