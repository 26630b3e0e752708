# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 24), "float32"), C: T.Buffer((4,), "int32")):
    I = T.alloc_buffer((4,), "int32")
    V = T.alloc_buffer((4,), "float32")
    for i in range(4):
        I[i] = -1
        V[i] = T.float32("-inf")
        for k in range(24):
            j: T.let[T.int32] = T.Select(V[i] > A[i, k] or V[i] == A[i, k] and I[i] > k, I[i], k)
            v: T.let[T.float32] = T.Select(V[i] > A[i, k], V[i], A[i, k])
            I[i] = j
            V[i] = v
        C[i] = I[i]
