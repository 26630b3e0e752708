# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
    X = T.alloc_buffer((1,), "float32")
    for i in range(8):
        X[0] = A[i]
    for j in range(8):
        if (j + 1) % 8 > 0:
            X[0] = B[j]
    C[0] = X[0]
