# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        C[i] = T.float32("-inf")
        for k in range(8):
            C[i] = T.max(C[i], T.if_then_else(i <= k, A[i, k], T.float32("-inf")))
