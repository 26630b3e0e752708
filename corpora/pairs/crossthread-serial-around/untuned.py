# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((3, 24), "float32"), C: T.Buffer((3,), "float32")):
    for i in range(3):
        C[i] = T.float32(0)
        for k in range(24):
            C[i] = C[i] + A[i, k]
