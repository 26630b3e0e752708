# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((30000, 256), "float32"), I: T.Buffer((4096,), "int32"), O: T.Buffer((4096, 256), "float32")):
    for i, j in T.grid(4096, 256):
        O[i, j] = A[I[i], j] * T.float32(2)
