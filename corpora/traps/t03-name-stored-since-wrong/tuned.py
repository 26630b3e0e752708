# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((1,), "int32")):
    D = T.alloc_buffer((1,), "int32")
    C[0] = 0
    D[0] = 0
    for k in range(8):
        v: T.int32 = C[0] + D[0]
        D[0] = A[k]
        C[0] = v
