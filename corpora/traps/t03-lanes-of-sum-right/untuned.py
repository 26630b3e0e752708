# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 4), "int32"), C: T.Buffer((4,), "int32")):
    for i in range(4):
        C[i] = 0
        for k in range(16):
            C[i] = C[i] + A[k, i]
