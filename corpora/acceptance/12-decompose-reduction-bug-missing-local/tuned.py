# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    W = T.alloc_buffer((1024, 1024), "float32")
    for i0, j0 in T.grid(31, 32):
        for i1, j1 in T.grid(32, 32):
            W[i0 * 32 + i1, j0 * 32 + j1] = T.float32(0)
    for i0, j0 in T.grid(32, 32):
        for k0 in range(32):
            for i1, k1, j1 in T.grid(32, 32, 32):
                W[i0 * 32 + i1, j0 * 32 + j1] = W[i0 * 32 + i1, j0 * 32 + j1] + A[i0 * 32 + i1, k0 * 32 + k1] * B[k0 * 32 + k1, j0 * 32 + j1]
    for i, j in T.grid(1024, 1024):
        C[i, j] = W[i, j]
