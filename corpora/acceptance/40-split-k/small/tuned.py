# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 64), "float32"), B: T.Buffer((64, 4), "float32"), C: T.Buffer((4, 4), "float32")):
    W = T.alloc_buffer((8, 4, 4), "float32")
    for kb, i, j, k in T.grid(8, 4, 4, 8):
        with T.sblock("part"):
            vb, vi, vj, vk = T.axis.remap("SSSR", [kb, i, j, k])
            with T.init():
                W[vb, vi, vj] = T.float32(0)
            W[vb, vi, vj] = W[vb, vi, vj] + A[vi, vb * 8 + vk] * B[vb * 8 + vk, vj]
    for i, j, kb in T.grid(4, 4, 8):
        with T.sblock("sum"):
            vi, vj, vb = T.axis.remap("SSR", [i, j, kb])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + W[vb, vi, vj]
