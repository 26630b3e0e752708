# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 24), "float32"), C: T.Buffer((4,), "int32")):
    I = T.alloc_buffer((4,), "int32")
    V = T.alloc_buffer((4,), "float32")
    J = T.alloc_buffer((4, 6), "int32")
    W = T.alloc_buffer((4, 6), "float32")
    for i, r in T.grid(4, 6):
        J[i, r] = -1
        W[i, r] = T.float32("-inf")
        for k in range(4):
            j: T.let[T.int32] = T.Select(W[i, r] > A[i, k * 6 + r] or W[i, r] == A[i, k * 6 + r] and J[i, r] < k * 6 + r, J[i, r], k * 6 + r)
            v: T.let[T.float32] = T.Select(W[i, r] > A[i, k * 6 + r], W[i, r], A[i, k * 6 + r])
            J[i, r] = j
            W[i, r] = v
    for i in range(4):
        I[i] = -1
        V[i] = T.float32("-inf")
        for r in range(6):
            j: T.let[T.int32] = T.Select(V[i] >= W[i, r], I[i], J[i, r])
            v: T.let[T.float32] = T.Select(V[i] > W[i, r], V[i], W[i, r])
            I[i] = j
            V[i] = v
        C[i] = I[i]
