# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float16")):
    S = T.alloc_buffer((2,), "float32")
    for h in range(2):
        S[h] = T.float32(0)
        for k in range(4):
            S[h] = S[h] + A[h * 4 + k]
    C[0] = T.Cast("float16", S[0]) + T.Cast("float16", S[1])
