# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((4,), "float32")):
    for o, r in T.grid(4, 2):
        C[o] = C[o] + A[o * 4 + r]
