# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for io, ii in T.grid(3, 3):
        with T.sblock("c"):
            vi = T.axis.spatial(9, io * 3 + ii)
            T.where(io * 3 + ii < 8)
            C[vi] = A[vi]
