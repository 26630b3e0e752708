# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 3), "float32"), C: T.Buffer((2, 3), "float32", strides=(2, 1))):
    for i, j in T.grid(2, 3):
        C[1 - i, j] = A[1 - i, j]
