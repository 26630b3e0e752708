# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 8, 8, 64), "float32"), W: T.Buffer((3, 3, 64, 64), "float32"), bias: T.Buffer((64,), "float32"), O: T.Buffer((1, 8, 8, 64), "float32")):
    P = T.sblock_alloc_buffer((1, 10, 10, 64), "float32")
    Y = T.sblock_alloc_buffer((1, 8, 8, 64), "float32")
    for hw in T.parallel(1, annotations={"pragma_auto_unroll_max_step": 64, "pragma_unroll_explicit": 1}):
        for a0, a1 in T.grid(10, 10):
            for a2 in T.vectorized(64):
                with T.sblock("pad"):
                    vh = T.axis.spatial(10, hw // 1 * 8 + a0)
                    vw = T.axis.spatial(10, hw % 1 * 8 + a1)
                    vc = T.axis.spatial(64, a2)
                    P[0, vh, vw, vc] = T.if_then_else(1 <= vh and vh < 9 and 1 <= vw and vw < 9, X[0, vh - 1, vw - 1, vc], T.float32(0))
        for f0 in range(4):
            for h2, w2 in T.grid(8, 8):
                for f2 in T.vectorized(16):
                    with T.sblock("conv_init"):
                        vh = T.axis.spatial(8, hw // 1 * 8 + h2)
                        vw = T.axis.spatial(8, hw % 1 * 8 + w2)
                        vf = T.axis.spatial(64, f0 * 16 + f2)
                        Y[0, vh, vw, vf] = T.float32(0)
            for c0, r0, s0, h1, w1, c1, r1, s1, h2, w2 in T.grid(16, 1, 3, 2, 2, 4, 3, 1, 4, 4):
                for f2 in T.vectorized(16):
                    with T.sblock("conv_update"):
                        vh = T.axis.spatial(8, hw // 1 * 8 + h1 * 4 + h2)
                        vw = T.axis.spatial(8, hw % 1 * 8 + w1 * 4 + w2)
                        vf = T.axis.spatial(64, f0 * 16 + f2)
                        vr = T.axis.reduce(3, r0 * 3 + r1)
                        vs = T.axis.reduce(3, s0 + s1)
                        vc = T.axis.reduce(64, c0 * 4 + c1)
                        Y[0, vh, vw, vf] = Y[0, vh, vw, vf] + P[0, vh + vr, vw + vs, vc] * W[vr, vs, vc, vf]
            for a0, a1 in T.grid(8, 8):
                for a2 in T.vectorized(16):
                    with T.sblock("relu"):
                        vh = T.axis.spatial(8, hw // 1 * 8 + a0)
                        vw = T.axis.spatial(8, hw % 1 * 8 + a1)
                        vf = T.axis.spatial(64, f0 * 16 + a2)
                        O[0, vh, vw, vf] = T.max(Y[0, vh, vw, vf] + bias[vf], T.float32(0))
