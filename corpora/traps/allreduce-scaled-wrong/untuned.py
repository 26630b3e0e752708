# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        C[i] = T.float32(0)
        for k in range(8):
            C[i] = C[i] + A[i, k] * T.float32(2)
