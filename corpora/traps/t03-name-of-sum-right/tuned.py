# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((1,), "int32")):
    L = T.alloc_buffer((1,), "int32")
    C[0] = 0
    for k in range(4):
        v: T.int32 = C[0]
        C[0] = v + A[k * 2]
        L[0] = C[0]
        C[0] = L[0] + A[k * 2 + 1]
