# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def conv2d(image: T.Buffer((1, 10, 18, 3), "float16"), weight: T.Buffer((3, 3, 3, 4), "float16"), result: T.Buffer((1, 4, 8, 4), "float16")):
    for n, y, x, f, k0, k1 in T.grid(1, 4, 8, 4, 7, 4):
        with T.sblock("conv"):
            v_n, v_y, v_x, v_f = T.axis.remap("SSSS", [n, y, x, f])
            v_ry = T.axis.reduce(3, (k0 * 4 + k1) // 9)
            v_rx = T.axis.reduce(3, (k0 * 4 + k1) % 9 // 3)
            v_rc = T.axis.reduce(3, (k0 * 4 + k1) % 3)
            T.where(k0 * 4 + k1 < 27)
            with T.init():
                result[v_n, v_y, v_x, v_f] = T.float16(0)
            result[v_n, v_y, v_x, v_f] = result[v_n, v_y, v_x, v_f] + image[v_n, v_y * 2 + v_ry, v_x * 2 + v_rx, v_rc] * weight[v_ry, v_rx, v_rc, v_f]
