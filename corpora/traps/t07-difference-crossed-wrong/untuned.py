# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "float32"), Y: T.Buffer((8,), "float32"), Z: T.Buffer((8,), "uint16"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        C[i] = T.Select(Z[i] * T.uint16(40503) == T.uint16(45047), (X[i] - Y[i]) * T.float32(2), T.float32(0))
