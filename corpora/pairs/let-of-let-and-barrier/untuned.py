# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for i, j, k in T.grid(4, 4, 4):
        C[i * 16 + j * 4 + k] = A[i * 16 + k * 4 + j]
