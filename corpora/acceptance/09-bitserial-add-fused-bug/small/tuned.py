# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(data: T.Buffer((1, 4, 4, 2, 8), "uint32"), kernel: T.Buffer((3, 3, 1, 64, 8), "uint32"), bias: T.Buffer((64,), "int32"), out: T.Buffer((1, 2, 2, 64), "int32")):
    acc = T.alloc_buffer((1,), "int32")
    for y, x, co in T.grid(2, 2, 8):
        for lane in T.vectorized(8):
            acc[0] = 0
        for ry, rx, b, ci in T.grid(3, 3, 2, 8):
            for lane in T.vectorized(8):
                acc[0] = acc[0] + T.shift_left(T.Cast("int32", T.popcount(T.bitwise_and(data[0, y + ry, x + rx, b, ci], kernel[ry, rx, 0, co * 8 + lane, ci]))), b)
        for lane in T.vectorized(8):
            out[0, y, x, co * 8 + lane] = acc[0] + bias[co * 8 + lane]
