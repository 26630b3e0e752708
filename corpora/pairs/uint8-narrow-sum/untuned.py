# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "uint8"), C: T.Buffer((1,), "uint32")):
    C[0] = T.uint32(0)
    for i in range(8):
        C[0] = C[0] + T.Cast("uint32", A[i])
