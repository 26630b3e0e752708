# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 6), "int32"), C: T.Buffer((4,), "int32")):
    for i in range(4):
        C[i] = 1
        for k in range(6):
            C[i] = C[i] + A[i, k] + C[i]
