# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(im2col: T.Buffer((12544, 128), "int8"), kernel: T.Buffer((64, 128), "int8"), out: T.Buffer((12544, 64), "int32")):
    for i, j, k in T.grid(12544, 64, 128):
        with T.sblock("conv"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                out[vi, vj] = 0
            out[vi, vj] = out[vi, vj] + T.Cast("int32", im2col[vi, vk]) * T.Cast("int32", kernel[vj, vk])
