# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle, c: T.handle):
    m = T.int32()
    n = T.int32()
    k = T.int32()
    A = T.match_buffer(a, (m, k), "float32")
    B = T.match_buffer(b, (k, n), "float32")
    C = T.match_buffer(c, (m, n), "float32")
    for i0, j0 in T.grid((m + 31) // 32, (n + 31) // 32):
        for i1, j1 in T.grid(32, 32):
            if i0 * 32 + i1 < m and j0 * 32 + j1 < n:
                C[i0 * 32 + i1, j0 * 32 + j1] = T.float32(0)
        for r0 in range((k + 7) // 8):
            for i1, j1, r1 in T.grid(32, 32, 8):
                if i0 * 32 + i1 < m and j0 * 32 + j1 < n and r0 * 8 + r1 < k:
                    C[i0 * 32 + i1, j0 * 32 + j1] = C[i0 * 32 + i1, j0 * 32 + j1] + A[i0 * 32 + i1, r0 * 8 + r1] * B[r0 * 8 + r1, j0 * 32 + j1]
