# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    x = T.float32()
    U = T.alloc_buffer((1,), "float32")
    for i in range(8):
        C[i] = T.Let(A[i], where={x: A[T.Select(U[0] > T.float32(0), 1, 1)]})
