# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    U = T.alloc_buffer((1,), "float32")
    D = T.alloc_buffer((1,), "float32")
    if U[0] > T.float32(0):
        D[0] = T.float32(1)
    for i in range(8):
        C[i] = A[i]
