# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1000, 100), "float32"), S: T.Buffer((1000,), "float32")):
    for i in range(1000):
        S[i] = T.float32(0)
        for j in range(100):
            S[i] = S[i] + T.exp(A[i, j])
