# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, w: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 64), "float32")
    W = T.match_buffer(w, (64,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    B = T.alloc_buffer((n,), "float32")
    for i0 in range((n + 15) // 16):
        for i1, k in T.grid(16, 64):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i0 * 16 + i1)
                vk = T.axis.reduce(64, k)
                T.where(i0 * 16 + i1 < n)
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk] * W[vk]
        for i1 in range(16):
            with T.sblock("c"):
                vi = T.axis.spatial(n, i0 * 16 + i1)
                T.where(i0 * 16 + i1 < n)
                C[vi] = T.max(B[vi], T.float32(0))
