# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((1,), "uint32")):
    B = T.alloc_buffer((1,), "uint32")
    V = T.decl_buffer((4,), "uint8", data=B.data)
    for i in range(3):
        V[i] = T.uint8(0)
    C[0] = B[0]
