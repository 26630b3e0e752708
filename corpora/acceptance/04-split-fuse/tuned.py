# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    for ij in range(1024):
        for k0, i1, k1, j1 in T.grid(256, 32, 4, 32):
            with T.sblock("c"):
                vi = T.axis.spatial(1024, ij // 32 * 32 + i1)
                vj = T.axis.spatial(1024, ij % 32 * 32 + j1)
                vk = T.axis.reduce(1024, k0 * 4 + k1)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
