# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 16,), "float64"), B: T.Buffer((16,), "float64"), C: T.Buffer((4,), "float64")):
    for i in range(4):
        C[i] = T.float64(0)
        for k in range(16):
            C[i] = C[i] + A[i, 15 - k] * B[15 - k]
