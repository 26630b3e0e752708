# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(B: T.Buffer((8,), "float32"), C: T.Buffer((4,), "float32")):
    for c in range(4):
        C[c] = B[c * 2 + 1]
