# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    X = T.alloc_buffer((8,), "float32")
    V = T.decl_buffer((8,), data=X.data)
    for i in range(8):
        X[i] = A[i]
    V[3] = T.float32(0)
    for i in range(8):
        C[i] = X[i]
