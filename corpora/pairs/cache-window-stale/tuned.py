# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6,), "float32"), C: T.Buffer((4,), "float32")):
    B = T.alloc_buffer((3,), "float32")
    for i in range(3):
        B[i] = A[i]
    for i in range(4):
        C[i] = B[0] + B[1] + B[2]
        if i < 2:
            B[i % 3] = A[i + 3]
