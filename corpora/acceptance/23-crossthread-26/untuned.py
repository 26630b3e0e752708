# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((26, 8, 128), "float32"), B: T.Buffer((1, 8, 128), "float32")):
    for d1, d2, l in T.grid(8, 128, 26):
        with T.sblock("sum"):
            v1, v2, vl = T.axis.remap("SSR", [d1, d2, l])
            with T.init():
                B[0, v1, v2] = T.float32(0)
            B[0, v1, v2] = B[0, v1, v2] + A[vl, v1, v2]
