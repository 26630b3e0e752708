# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 24), "int32"), C: T.Buffer((4,), "int32")):
    X = T.alloc_buffer((4,), "int32")
    for i in range(4):
        X[i] = 3
        for k0 in range(4):
            X[i] = 2
            x: T.let[T.int32] = X[i]
            X[i] = x * A[i, k0] - x
        C[i] = X[i]
