# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 12,), "float32"), C: T.Buffer((4,), "float32")):
    P = T.alloc_buffer((3,), "float32")
    for i in range(4):
        for p in range(3):
            P[p] = T.float32(0)
            for k in range(4):
                P[p] = P[p] + A[i, p * 4 + k]
        C[i] = P[0] + P[1] + P[2]
