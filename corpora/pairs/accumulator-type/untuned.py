# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 16,), "float16"), C: T.Buffer((4,), "float16")):
    S = T.alloc_buffer((1,), "float32")
    for i in range(4):
        S[0] = T.float32(0)
        for k in range(16):
            S[0] = S[0] + T.Cast("float32", A[i, k])
        C[i] = T.Cast("float16", S[0])
