# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6,), "float32"), D: T.Buffer((6,), "int32"), C: T.Buffer((6,), "float32")):
    for i in range(6):
        C[i] = T.if_then_else(D[i] < 3, A[i], T.float32(0))
