# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8,), "float32"), C: T.Buffer((8, 8,), "float32")):
    for i, j in T.grid(8, 8):
        C[i, j] = A[i, j] + A[i // 4 * 4, j // 4 * 4]
