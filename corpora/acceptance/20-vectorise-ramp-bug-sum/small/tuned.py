# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), B: T.Buffer((2, 8), "float32"), C: T.Buffer((2, 8), "float32"), D: T.Buffer((2,), "float32")):
    merged = T.alloc_buffer((16,), "float32")
    for i in range(2):
        for j in T.vectorized(8):
            merged[j] = A[i, j] * T.float32(2)
        merged[T.Ramp(8, 1, 8)] = B[i, 0:8] * T.Broadcast(T.float32(3), 8)
        for j in T.vectorized(8):
            C[i, j] = merged[j] + merged[j + 8]
        D[i] = T.float32(0)
        for j in T.vectorized(8):
            D[i] = D[i] + A[i, j]
