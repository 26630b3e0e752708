# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6,), "float32"), C: T.Buffer((1,), "float32")):
    P = T.alloc_buffer((8,), "float32")
    for i in range(8):
        P[i] = T.if_then_else(i < 6, A[i], T.float32(0))
    C[0] = T.float32(0)
    for i in range(8):
        C[0] = C[0] + P[i]
