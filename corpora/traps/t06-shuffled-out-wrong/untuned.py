# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((4,), "int32"), Y: T.Buffer((16,), "int32"), O: T.Buffer((4,), "int32")):
    for i in range(4):
        O[i] = Y[i * 4 + 1]
