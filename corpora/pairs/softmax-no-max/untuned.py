# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    M = T.alloc_buffer((1,), "float32")
    Z = T.alloc_buffer((1,), "float32")
    M[0] = T.float32("-inf")
    for i in range(8):
        M[0] = T.max(M[0], A[i])
    Z[0] = T.float32(0)
    for i in range(8):
        Z[0] = Z[0] + T.exp(A[i] - M[0])
    for i in range(8):
        C[i] = T.exp(A[i] - M[0]) / Z[0]
