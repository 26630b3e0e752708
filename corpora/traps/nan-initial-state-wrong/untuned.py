# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 10), "float32"), C: T.Buffer((4,), "float32")):
    V = T.alloc_buffer((4,), "float32")
    for i in range(4):
        V[i] = T.float32("nan")
        for k in range(10):
            V[i] = T.Select(V[i] >= A[i, k], V[i], A[i, k])
        C[i] = V[i]
