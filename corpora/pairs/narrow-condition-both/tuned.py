# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "uint16"), B: T.Buffer((16,), "uint16"), C: T.Buffer((16,), "int32")):
    for i in T.parallel(16):
        C[i] = T.if_then_else(A[i] - B[i] > T.uint16(40000), 1, 0)
