# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    for i in range(16):
        D[i] = A[i, 0] * T.float32(2)
    for i in range(16):
        C[i] = T.float32(0)
    for i, k in T.grid(16, 0):
        C[i] = C[i] + A[i, k]
