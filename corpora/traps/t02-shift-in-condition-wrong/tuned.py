# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((16,), "int32"), Y: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    for i in range(16):
        C[i] = T.Select(T.shift_right(X[i], Y[i]) == T.shift_right(X[i], Y[i]), X[i], 0)
