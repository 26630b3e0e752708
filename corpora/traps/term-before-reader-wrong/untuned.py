# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), P: T.Buffer((8,), "float32")):
    for k in range(8):
        P[k] = T.float32(0)
        for j in range(8):
            P[k] = P[k] + A[j]
