# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4096, 256), "float32"), C: T.Buffer((4096, 256), "float32")):
    for b, i in T.grid(4096, 256):
        C[b, i] = A[b, 255 - i] * T.float32(2) + A[b, i]
