# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((8, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for ij in range(16):
        for k0, i1, k1, j1 in T.grid(2, 4, 4, 4):
            with T.sblock("c"):
                vi = T.axis.spatial(16, ij // 4 * 4 + i1)
                vj = T.axis.spatial(16, ij % 4 * 4 + j1)
                vk = T.axis.reduce(8, k0 * 4 + k1)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
