# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 8, 8, 64), "float32"), W: T.Buffer((3, 3, 64, 64), "float32"), bias: T.Buffer((64,), "float32"), O: T.Buffer((1, 8, 8, 64), "float32")):
    P = T.alloc_buffer((1, 10, 10, 64), "float32")
    Y = T.alloc_buffer((1, 8, 8, 64), "float32")
    for h, w, c in T.grid(10, 10, 64):
        with T.sblock("pad"):
            vh, vw, vc = T.axis.remap("SSS", [h, w, c])
            P[0, vh, vw, vc] = T.if_then_else(1 <= vh and vh < 9 and 1 <= vw and vw < 9, X[0, vh - 1, vw - 1, vc], T.float32(0))
    for h, w, f, r, s, c in T.grid(8, 8, 64, 3, 3, 64):
        with T.sblock("conv"):
            vh, vw, vf, vr, vs, vc = T.axis.remap("SSSRRR", [h, w, f, r, s, c])
            with T.init():
                Y[0, vh, vw, vf] = T.float32(0)
            Y[0, vh, vw, vf] = Y[0, vh, vw, vf] + P[0, vh + vr, vw + vs, vc] * W[vr, vs, vc, vf]
    for h, w, f in T.grid(8, 8, 64):
        with T.sblock("relu"):
            vh, vw, vf = T.axis.remap("SSS", [h, w, f])
            O[0, vh, vw, vf] = T.max(Y[0, vh, vw, vf] + bias[vf], T.float32(0))
