# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((6, 6), "float32"), W: T.Buffer((3, 3), "float32"), O: T.Buffer((6, 6), "float32")):
    P = T.alloc_buffer((8, 8), "float32")
    for h, w in T.grid(8, 8):
        P[h, w] = T.float32(0)
    for h, w in T.grid(6, 6):
        P[h + 1, w + 1] = X[h, w]
    for h, w, kh, kw in T.grid(6, 6, 3, 3):
        with T.sblock("conv"):
            vh, vw, vi, vj = T.axis.remap("SSRR", [h, w, kh, kw])
            with T.init():
                O[vh, vw] = T.float32(0)
            O[vh, vw] = O[vh, vw] + P[vh + vi, vw + vj] * W[vi, vj]
