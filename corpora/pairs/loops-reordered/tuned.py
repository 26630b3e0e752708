# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 10,), "float32"), B: T.Buffer((10, 7,), "float32"), C: T.Buffer((6, 7,), "float32")):
    for j, i in T.grid(7, 6):
        C[i, j] = T.float32(0)
    for k, j, i in T.grid(10, 7, 6):
        C[i, j] = C[i, j] + B[k, j] * A[i, k]
