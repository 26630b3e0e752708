# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    B = T.alloc_buffer((8,), "int32")
    for i in range(8):
        B[i] = T.shift_left(1, i + 31)
        B[i] = A[i]
    for i in range(8):
        C[i] = B[i]
