# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    x = T.int32()
    U = T.alloc_buffer((1,), "float32")
    D = T.alloc_buffer((8,), "float32")
    for i in range(8):
        if A[T.Let(i, where={x: T.if_then_else(U[0] > T.float32(0), i, i)})] > T.float32(0):
            D[i] = T.float32(1)
        C[i] = A[i]
