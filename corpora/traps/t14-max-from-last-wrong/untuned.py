# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        C[i] = T.float32("-inf")
        for k in range(6):
            C[i] = T.max(A[i, k + 2], C[i])
        for k in range(2):
            C[i] = T.max(A[i, k], C[i])
