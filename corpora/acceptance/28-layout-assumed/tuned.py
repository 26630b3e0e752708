# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1000, 7, 16), "float32"), S: T.Buffer((1000,), "float32")):
    for i, j0, j1 in T.grid(1000, 7, 16):
        T.evaluate(T.assume(j0 * 16 + j1 < 100 or A[i, j0, j1] == T.float32(0)))
    for i in range(1000):
        S[i] = T.float32(0)
        for j0, j1 in T.grid(7, 16):
            S[i] = S[i] + A[i, j0, j1]
