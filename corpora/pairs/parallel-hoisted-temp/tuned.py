# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((1,), "float32")
        for i in T.parallel(8):
            with T.sblock("x"):
                v = T.axis.spatial(8, i)
                t[0] = A[v]
                C[v] = t[0]
