# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((4, 2), "float32")):
    for j in range(1, 4):
        C[j, 0] = T.float32(0)
        for k in range(16):
            C[j, 0] = C[j, 0] + A[0, k]
