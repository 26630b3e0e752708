# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        C[i] = T.float32(-3.4028234663852886e38)
        for ko in range(2):
            for ki in range(4):
                C[i] = T.max(C[i], T.if_then_else(i <= ko * 4 + ki, A[i, ko * 4 + ki], T.float32(-3.4028234663852886e38)))
