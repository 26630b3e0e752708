# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 24), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        C[i] = T.float32(1)
        for k in range(12):
            C[i] = (C[i] + A[i, 2 * k]) * A[i, 2 * k + 1]
