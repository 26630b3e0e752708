# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), C: T.Buffer((2, 8), "float32")):
    for k, j in T.grid(2, 8):
        C[k, j] = A[k, 7 - j]
