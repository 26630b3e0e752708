# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 10), "float32"), C: T.Buffer((4,), "float32")):
    V = T.alloc_buffer((4,), "float32")
    W = T.alloc_buffer((4, 4), "float32")
    for i in range(4):
        for o in range(4):
            W[i, o] = T.float32("nan")
            for k in range(4):
                if o * 4 + k < 10:
                    W[i, o] = T.Select(W[i, o] >= A[i, o * 4 + k], W[i, o], A[i, o * 4 + k])
        V[i] = T.float32("nan")
        for o in range(4):
            V[i] = T.Select(V[i] >= W[i, o], V[i], W[i, o])
        C[i] = V[i]
