# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in T.parallel(2):
        for j in range(8):
            C[j] = B[j]
