# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8, 8), "float32"), C: T.Buffer((4, 8, 8), "float32")):
    for c, i, j in T.grid(4, 8, 8):
        C[c, i, j] = T.float32(0)
        for k, l in T.grid(3, 3):
            C[c, i, j] = C[c, i, j] + T.if_then_else(1 <= i + k and i + k < 9 and 1 <= j + l and j + l < 9, A[c, i + k - 1, j + l - 1], T.float32(0))
