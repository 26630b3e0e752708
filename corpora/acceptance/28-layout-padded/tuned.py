# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1000, 100), "float32"), S: T.Buffer((1000,), "float32")):
    P = T.alloc_buffer((1000, 7, 16), "float32")
    for i, j0, j1 in T.grid(1000, 7, 16):
        P[i, j0, j1] = T.if_then_else(j0 * 16 + j1 < 100, A[i, j0 * 16 + j1], T.float32(0))
    for i in range(1000):
        S[i] = T.float32(0)
        for j0 in range(7):
            for j1 in range(16):
                if j0 * 16 + j1 < 100:
                    S[i] = S[i] + T.exp(P[i, j0, j1])
