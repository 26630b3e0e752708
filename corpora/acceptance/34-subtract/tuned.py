# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 64), "float32"), C: T.Buffer((1024,), "float32")):
    for i0, k0, i1, k1 in T.grid(32, 8, 32, 8):
        with T.sblock("prod"):
            vi = T.axis.spatial(1024, i0 * 32 + i1)
            vk = T.axis.reduce(64, k0 * 8 + k1)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] - A[vi, vk]
