# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((2, 16), "float32")):
    for p, i in T.grid(2, 16):
        C[p, i] = A[p, i]
