# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i < 4:
            S[0] = 1
        else:
            S[0] = 2
        x: T.let = S[0]
        C[i] = T.if_then_else(i < 4, B[x], B[x] * T.float32(2))
