# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((30000, 8), "float32"), I: T.Buffer((32,), "int32"), O: T.Buffer((32, 8), "float32")):
    for i, j in T.grid(32, 8):
        O[i, j] = A[I[i], j] * T.float32(2)
