# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float16"), C: T.Buffer((1,), "float32")):
    S = T.alloc_buffer((1,), "float16")
    S[0] = T.float16(0)
    for k in range(8):
        S[0] = S[0] + A[k]
    C[0] = T.Cast("float32", S[0])
