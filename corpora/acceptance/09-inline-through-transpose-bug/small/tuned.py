# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), W: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        C[i, j] = T.float32(0)
        for k in range(8):
            C[i, j] = C[i, j] + T.max(A[i, k], T.float32(0)) * T.float32(0.5) * W[k, j]
