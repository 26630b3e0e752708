# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    X = T.alloc_buffer((4,), "float32")
    for i in range(4):
        X[i] = T.float32(0)
        for k in range(4):
            X[i] = T.max(A[i, k], X[i])
        C[i] = X[i]
        for k in range(4):
            C[i] = T.max(C[i], A[i, k + 4])
