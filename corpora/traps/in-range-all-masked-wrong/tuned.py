# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float16"), L: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float16")):
    for i in range(8):
        C[i] = T.float16(-65504)
        for k in range(8):
            C[i] = T.max(C[i], T.if_then_else(k < L[i], A[i, k], T.float16(-65504)))
