# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((1,), "int64")):
    D = T.alloc_buffer((1,), "int32")
    D[0] = 0
    for k in range(8):
        D[0] = D[0] + A[k]
    C[0] = T.Cast("int64", D[0])
