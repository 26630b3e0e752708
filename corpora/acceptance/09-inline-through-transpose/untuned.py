# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1024), "float32"), W: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    X = T.alloc_buffer((1024, 1024), "float32")
    Y = T.alloc_buffer((1024, 1024), "float32")
    for i, j in T.grid(1024, 1024):
        X[i, j] = T.max(A[i, j], T.float32(0)) * T.float32(0.5)
    for i, j in T.grid(1024, 1024):
        Y[i, j] = X[j, i]
    for i, j in T.grid(1024, 1024):
        C[i, j] = T.float32(0)
        for k in range(1024):
            C[i, j] = C[i, j] + Y[i, k] * W[k, j]
