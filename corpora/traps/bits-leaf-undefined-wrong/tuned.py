# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((1,), "int32")):
    S = T.alloc_buffer((1,), "int32")
    S[0] = 0
    for k in range(16):
        S[0] = S[0] + T.Cast("int32", A[k])
    C[0] = T.bitwise_and(S[0], 0)
