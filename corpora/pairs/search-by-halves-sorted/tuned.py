# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((7,), "int32"), Q: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    for j in range(16):
        C[j] = 0
        for k in range(3):
            C[j] = C[j] + T.if_then_else(X[C[j] + T.shift_right(4, k) - 1] < Q[j], T.shift_right(4, k), 0)
