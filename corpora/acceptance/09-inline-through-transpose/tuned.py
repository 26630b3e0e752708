# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1024), "float32"), W: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    for i, j in T.grid(1024, 1024):
        C[i, j] = T.float32(0)
        for k in range(1024):
            C[i, j] = C[i, j] + T.max(A[k, i], T.float32(0)) * T.float32(0.5) * W[k, j]
