# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((16,), "uint8"), Y: T.Buffer((16,), "uint8"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        B[i] = T.Select(X[i] + Y[i] < T.uint8(100), 1, 0)
