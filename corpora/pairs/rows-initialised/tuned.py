# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6,), "float32"), C: T.Buffer((4, 3), "float32")):
    S = T.alloc_buffer((6,), "float32")
    R = T.decl_buffer((4, 3), "float32", data=S.data, strides=[1, 1])
    for i, j in T.grid(4, 3):
        R[i, j] = A[i + j]
    for i, j in T.grid(4, 3):
        C[i, j] = S[i + j] * T.float32(2)
