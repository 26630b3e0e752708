# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "int32"), C: T.Buffer((2,), "int32")):
    for i in range(2):
        C[i] = 5
        for k in range(16):
            C[i] = T.max(C[i], A[i, k])
