# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((10, 6), "float32")
    for h, w, r in T.grid(10, 6, 3):
        with T.sblock("b"):
            vh, vw, vr = T.axis.remap("SSR", [h, w, r])
            with T.init():
                B[vh, vw] = T.float32("-inf")
            B[vh, vw] = T.max(B[vh, vw], A[vh, vw + vr])
    for h, w, r in T.grid(8, 6, 3):
        with T.sblock("c"):
            vh, vw, vr = T.axis.remap("SSR", [h, w, r])
            with T.init():
                C[vh, vw] = T.float32("-inf")
            C[vh, vw] = T.max(C[vh, vw], B[vh + vr, vw])
