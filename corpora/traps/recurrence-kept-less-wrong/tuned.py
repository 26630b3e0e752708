# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((1,), "float32")
    for i in range(8):
        S[0] = T.float32(0)
        for k in range(8):
            if i < 4:
                S[0] = S[0] * T.float32(0.5) + A[k]
        C[i] = T.if_then_else(i < 4, S[0], S[0] * T.float32(2))
