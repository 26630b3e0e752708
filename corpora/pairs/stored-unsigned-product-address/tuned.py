# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    P = T.alloc_buffer((64,), "uint32")
    for i in range(64):
        P[i] = T.Cast("uint32", i) * T.uint32(67108864)
    for i in range(64):
        C[i] = A[T.Cast("int32", T.bitwise_and(P[i], T.uint32(63)))]
