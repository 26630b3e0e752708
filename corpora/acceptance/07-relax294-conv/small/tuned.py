# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def conv2d(image: T.Buffer((1, 18, 18, 2), "float16"), weight: T.Buffer((3, 3, 2, 4), "float16"), result: T.Buffer((1, 8, 8, 4), "float16")):
    tile = T.alloc_buffer((1, 4, 4, 4), "float16")
    for t in T.serial(4, annotations={"pragma_auto_unroll_max_step": 512, "pragma_unroll_explicit": 1}):
        for y0, x0, y1 in T.grid(2, 4, 2):
            for lane in T.vectorized(4):
                tile[0, y0 * 2 + y1, x0, lane] = T.float16(0)
        for rx0, y0, x0, ry1, rc1 in T.grid(3, 2, 4, 3, 2):
            for y1 in T.unroll(2):
                for lane in T.vectorized(4):
                    tile[0, y0 * 2 + y1, x0, lane] = tile[0, y0 * 2 + y1, x0, lane] + image[0, (t // 2 * 4 + y0 * 2 + y1) * 2 + ry1, (t % 2 * 4 + x0) * 2 + rx0, rc1] * weight[ry1, rx0, rc1, lane]
        for y2, x2 in T.grid(4, 4):
            for lane in T.vectorized(4):
                result[0, t // 2 * 4 + y2, t % 2 * 4 + x2, lane] = tile[0, y2, x2, lane]
