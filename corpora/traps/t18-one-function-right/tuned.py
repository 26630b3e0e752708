# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for io in T.parallel(2):
        for ii in T.vectorized(4):
            C[io * 4 + ii] = T.sin(A[io * 4 + ii])
