# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 16), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(5):
        C[i] = 0
        for k in range(13):
            C[i] = C[i] + A[i, k]
