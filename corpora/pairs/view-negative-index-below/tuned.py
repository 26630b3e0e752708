# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((12,), "float32"), C: T.Buffer((12,), "float32")):
    S = T.alloc_buffer((12,), "float32")
    W = T.decl_buffer((4,), "float32", data=S.data, elem_offset=8)
    for i in range(12):
        W[i - 9] = A[i]
    for i in range(12):
        C[i] = S[i] + T.float32(1)
