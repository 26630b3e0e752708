# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((226, 224), "float32"), C: T.Buffer((224, 224), "float32")):
    B = T.alloc_buffer((226, 222), "float32")
    for h, w, r in T.grid(226, 222, 3):
        with T.sblock("b"):
            vh, vw, vr = T.axis.remap("SSR", [h, w, r])
            with T.init():
                B[vh, vw] = T.float32("-inf")
            B[vh, vw] = T.max(B[vh, vw], A[vh, vw + vr])
    for h, w, r in T.grid(224, 222, 3):
        with T.sblock("c"):
            vh, vw, vr = T.axis.remap("SSR", [h, w, r])
            with T.init():
                C[vh, vw] = T.float32("-inf")
            C[vh, vw] = T.max(C[vh, vw], B[vh + vr, vw])
