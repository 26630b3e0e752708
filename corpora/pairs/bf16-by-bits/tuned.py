# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "bfloat16")):
    B = T.alloc_buffer((8,), "uint32")
    for i in range(8):
        B[i] = T.reinterpret("uint32", A[i] * A[i])
        C[i] = T.reinterpret("bfloat16", T.Cast("uint16", T.shift_right(B[i] + T.bitwise_and(T.shift_right(B[i], T.uint32(16)), T.uint32(1)) + T.uint32(32767), T.uint32(16))))
