# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(3):
        for j in range(4):
            C[i * 4 + j] = A[i * 4 + j]
    for j in range(4):
        C[12 + j] = A[j]
