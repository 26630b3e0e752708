# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int8"), Y: T.Buffer((8,), "int8"), C: T.Buffer((8,), "int8")):
    for i in range(8):
        C[i] = X[i] // Y[i] + T.int8(1)
