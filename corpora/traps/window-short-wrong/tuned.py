# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 10), "float32"), C: T.Buffer((4, 4), "float32")):
    X = T.alloc_buffer((10, 10), "float32")
    for t, s, j, l in T.grid(4, 4, 4, 4):
        if t * 2 + j < 9:
            X[t * 2 + j, s * 2 + l] = A[t * 2 + j, s * 2 + l]
    for i, k in T.grid(4, 4):
        C[i, k] = T.float32(0)
        for c, d in T.grid(4, 4):
            C[i, k] = C[i, k] + X[i * 2 + c, k * 2 + d]
