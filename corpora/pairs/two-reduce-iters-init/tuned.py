# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8,), "float32"), C: T.Buffer((4,), "float32")):
    for i, k0, k1 in T.grid(4, 2, 4):
        with T.sblock("b"):
            vi = T.axis.spatial(4, i)
            v0 = T.axis.spatial(2, k0)
            vk = T.axis.reduce(4, k1)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, v0 * 4 + vk]
