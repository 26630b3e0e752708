# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((20,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((18,), "float32")
    for r in range(18):
        B[r] = T.float32(0)
        for a in range(3):
            B[r] = B[r] + A[r + a]
    for i in range(16):
        C[i] = T.float32(0)
        for c in range(3):
            C[i] = C[i] + B[i + c]
