# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((7,), "int32"), Q: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    for j in range(16):
        C[j] = 0
        for i in range(7):
            C[j] = C[j] + T.if_then_else(X[i] < Q[j], 1, 0)
