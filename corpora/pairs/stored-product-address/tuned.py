# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    P = T.alloc_buffer((64,), "int32")
    for i in range(64):
        P[i] = i * 67108864
    for i in range(64):
        C[i] = A[T.bitwise_and(P[i], 63)]
