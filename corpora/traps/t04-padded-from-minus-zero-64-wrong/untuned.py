# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float64"), C: T.Buffer((1,), "float64")):
    C[0] = T.float64(-0.0)
    for k in range(4):
        C[0] = C[0] + A[k]
