# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "float32"), Z: T.Buffer((8,), "uint16"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        C[i] = T.bitwise_and(T.Cast("int32", T.Select(Z[i] * T.uint16(40503) == T.uint16(45047), T.min(T.max(X[i], T.float32(0)), T.float32(2147483648.0)), T.float32(0))), 0)
