# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 24), "float32"), B: T.Buffer((24, 6), "float32"), C: T.Buffer((6, 6), "float32")):
    for i, j in T.grid(6, 6):
        C[i, j] = T.float32(0)
        for k in range(6):
            C[i, j] = C[i, j] + A[i, k * 4] * B[k * 4, j] + A[i, k * 4 + 2] * B[k * 4 + 2, j] + A[i, k * 4 + 1] * B[k * 4 + 1, j] + A[i, k * 4 + 3] * B[k * 4 + 3, j]
