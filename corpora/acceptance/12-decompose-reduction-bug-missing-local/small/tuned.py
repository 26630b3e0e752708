# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    W = T.alloc_buffer((8, 8), "float32")
    for i0, j0 in T.grid(1, 2):
        for i1, j1 in T.grid(4, 4):
            W[i0 * 4 + i1, j0 * 4 + j1] = T.float32(0)
    for i0, j0 in T.grid(2, 2):
        for k0 in range(2):
            for i1, k1, j1 in T.grid(4, 4, 4):
                W[i0 * 4 + i1, j0 * 4 + j1] = W[i0 * 4 + i1, j0 * 4 + j1] + A[i0 * 4 + i1, k0 * 4 + k1] * B[k0 * 4 + k1, j0 * 4 + j1]
    for i, j in T.grid(8, 8):
        C[i, j] = W[i, j]
