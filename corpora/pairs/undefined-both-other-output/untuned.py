# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int32"), Y: T.Buffer((8,), "int32"), O: T.Buffer((8,), "int32"), P: T.Buffer((8,), "int32")):
    for i in range(8):
        O[i] = Y[i] << X[i]
        P[i] = 1
