# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 1024), "float32"), B: T.Buffer((64, 1024), "float32"), C: T.Buffer((64, 1024), "float32"), D: T.Buffer((64,), "float32")):
    merged = T.alloc_buffer((2048,), "float32")
    for i in range(64):
        for j in T.vectorized(1024):
            merged[j] = A[i, j] * T.float32(2)
        merged[T.Ramp(1024, 1, 1024)] = B[i, 0:1024] * T.Broadcast(T.float32(3), 1024)
        for j in T.vectorized(1024):
            C[i, j] = merged[j] + merged[j + 1024]
        D[i] = T.float32(0)
        for j in range(1024):
            D[i] = D[i] + A[i, j]
