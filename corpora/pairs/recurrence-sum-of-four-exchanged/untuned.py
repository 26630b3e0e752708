# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 24), "float32"), B: T.Buffer((24, 6), "float32"), C: T.Buffer((6, 6), "float32")):
    for i, j in T.grid(6, 6):
        C[i, j] = T.float32(0)
        for k in range(24):
            C[i, j] = C[i, j] + A[i, k] * B[k, j]
