# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(data: T.Buffer((1, 4, 4, 2, 8), "uint32"), kernel: T.Buffer((3, 3, 1, 64, 8), "uint32"), bias: T.Buffer((64,), "int32"), out: T.Buffer((1, 2, 2, 64), "int32")):
    conv = T.alloc_buffer((1, 2, 2, 64), "int32")
    for y, x, co, ry, rx, b, ci in T.grid(2, 2, 64, 3, 3, 2, 8):
        with T.sblock("conv"):
            vy, vx, vc, vry, vrx, vb, vi = T.axis.remap("SSSRRRR", [y, x, co, ry, rx, b, ci])
            with T.init():
                conv[0, vy, vx, vc] = 0
            conv[0, vy, vx, vc] = conv[0, vy, vx, vc] + T.shift_left(T.Cast("int32", T.popcount(T.bitwise_and(data[0, vy + vry, vx + vrx, vb, vi], kernel[vry, vrx, 0, vc, vi]))), vb)
    for y, x, co in T.grid(2, 2, 64):
        with T.sblock("add"):
            vy, vx, vc = T.axis.remap("SSS", [y, x, co])
            out[0, vy, vx, vc] = conv[0, vy, vx, vc] + bias[vc]
