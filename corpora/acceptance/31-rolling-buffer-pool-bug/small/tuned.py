# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((3, 6), "float32")
    for h0 in range(4):
        for h1, w, r in T.grid(4, 6, 3):
            with T.sblock("b"):
                vh = T.axis.opaque(10, h0 * 2 + h1)
                vw, vr = T.axis.remap("SR", [w, r])
                T.where(h0 < 1 or 2 <= h1)
                with T.init():
                    B[vh % 3, vw] = T.float32("-inf")
                B[vh % 3, vw] = T.max(B[vh % 3, vw], A[vh, vw + vr])
        for h1, w, r in T.grid(2, 6, 3):
            with T.sblock("c"):
                vh = T.axis.opaque(8, h0 * 2 + h1)
                vw, vr = T.axis.remap("SR", [w, r])
                with T.init():
                    C[vh, vw] = T.float32("-inf")
                C[vh, vw] = T.max(C[vh, vw], B[(vh + vr) % 3, vw])
