# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10,), "float32"), W: T.Buffer((3,), "float32"), C: T.Buffer((10,), "float32")):
    P = T.alloc_buffer((12,), "float32")
    for i in range(12):
        P[i] = T.if_then_else(1 <= i and i < 11, A[i - 1], T.float32(0))
    for i in range(10):
        C[i] = T.float32(0)
        for r in range(3):
            C[i] = C[i] + P[i + r] * W[r]
