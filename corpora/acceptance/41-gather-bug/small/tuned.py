# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((30000, 8), "float32"), I: T.Buffer((32,), "int32"), O: T.Buffer((32, 8), "float32")):
    X = T.alloc_buffer((16,), "int32")
    for i0 in range(2):
        for i1 in range(16):
            X[i1] = I[i0 * 16 + 15 - i1]
        for i1, j0 in T.grid(16, 2):
            for j1 in T.vectorized(4):
                O[i0 * 16 + i1, j0 * 4 + j1] = A[X[i1], j0 * 4 + j1] * T.float32(2)
