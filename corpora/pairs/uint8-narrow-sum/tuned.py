# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "uint8"), C: T.Buffer((1,), "uint32")):
    acc = T.alloc_buffer((1,), "uint8")
    acc[0] = T.uint8(0)
    for i in range(8):
        acc[0] = acc[0] + A[i]
    C[0] = T.Cast("uint32", acc[0])
