# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 64), "float32"), C: T.Buffer((8,), "float32")):
    rf = T.alloc_buffer((8, 8), "float32")
    for i, k1, k0 in T.grid(8, 8, 8):
        with T.sblock("rf"):
            vi, v1, v0 = T.axis.remap("SSR", [i, k1, k0])
            with T.init():
                rf[vi, v1] = T.float32(1)
            rf[vi, v1] = rf[vi, v1] * A[vi, v0 * 8 + v1]
    for i, k1 in T.grid(8, 8):
        with T.sblock("prod"):
            vi, v1 = T.axis.remap("SR", [i, k1])
            with T.init():
                C[vi] = T.float32(1)
            C[vi] = C[vi] * rf[vi, v1]
