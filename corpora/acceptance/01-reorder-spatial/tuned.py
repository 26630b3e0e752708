# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def conv2d(image: T.Buffer((1, 230, 230, 3), "float16"), weight: T.Buffer((7, 7, 3, 64), "float16"), result: T.Buffer((1, 112, 112, 64), "float16")):
    for f, x, n, y, ry, rx, rc in T.grid(64, 112, 1, 112, 7, 7, 3):
        with T.sblock("conv"):
            v_n, v_y, v_x, v_f, v_ry, v_rx, v_rc = T.axis.remap("SSSSRRR", [n, y, x, f, ry, rx, rc])
            with T.init():
                result[v_n, v_y, v_x, v_f] = T.float16(0)
            result[v_n, v_y, v_x, v_f] = result[v_n, v_y, v_x, v_f] + image[v_n, v_y * 2 + v_ry, v_x * 2 + v_rx, v_rc] * weight[v_ry, v_rx, v_rc, v_f]
