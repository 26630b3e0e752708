# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((24,), "float32"), C: T.Buffer((12,), "float32")):
    for i, j, r in T.grid(2, 4, 2):
        C[i * 4 + j] = C[i * 4 + j] + A[i * 6 + j + r * 12]
