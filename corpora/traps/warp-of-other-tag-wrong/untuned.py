# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "int32"), C: T.Buffer((2, 16), "int32")):
    for c, i in T.grid(2, 16):
        C[c, i] = A[c, (i + 1) % 16]
