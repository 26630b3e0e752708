# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 4), "int32"), B: T.Buffer((4, 8), "int32")):
    for i, j in T.grid(4, 8):
        B[i, j] = A[i * 2 + j // 4, j % 4]
