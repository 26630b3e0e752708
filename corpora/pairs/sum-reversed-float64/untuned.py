# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float64"), C: T.Buffer((1,), "float64")):
    C[0] = T.float64(0)
    for i in range(16):
        C[0] = C[0] + A[i]
