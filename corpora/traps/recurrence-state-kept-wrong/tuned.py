# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "int32"), C: T.Buffer((1,), "int32")):
    V = T.alloc_buffer((1,), "int32")
    N = T.alloc_buffer((1,), "int32")
    for i in range(4):
        N[0] = 0
        V[0] = 0
        for k in range(8):
            v: T.let[T.int32] = V[0] * A[i, k] - N[0]
            n: T.let[T.int32] = N[0] * A[i, k] - V[0] + 1
            V[0] = v
            N[0] = n
    C[0] = V[0]
