# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((16,), "uint8"), Y: T.Buffer((16,), "uint8"), C: T.Buffer((16,), "uint8")):
    for i in range(16):
        C[i] = T.shift_left(X[i], Y[i])
