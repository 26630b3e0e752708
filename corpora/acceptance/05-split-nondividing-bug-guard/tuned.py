# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1000, 1000), "float32"), B: T.Buffer((1000, 1000), "float32"), C: T.Buffer((1000, 1000), "float32")):
    for i0, j0, k0, i1, j1, k1 in T.grid(21, 11, 143, 48, 96, 7):
        with T.sblock("c"):
            vi = T.axis.spatial(1000, i0 * 48 + i1)
            vj = T.axis.spatial(1000, j0 * 96 + j1)
            vk = T.axis.reduce(1000, k0 * 7 + k1)
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
