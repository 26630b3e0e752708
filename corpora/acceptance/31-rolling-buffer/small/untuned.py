# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((10, 8), "float32")
    for h, w in T.grid(10, 8):
        B[h, w] = T.exp(A[h, w])
    for h, w in T.grid(8, 8):
        C[h, w] = (B[h, w] + B[h + 1, w]) + B[h + 2, w]
