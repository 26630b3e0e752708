# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 256), "float32"), C: T.Buffer((2, 128), "float32")):
    for b, i in T.grid(2, 128):
        C[b, i] = A[b, i] + A[b, i + 128]
