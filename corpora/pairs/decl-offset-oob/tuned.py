# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    V = T.decl_buffer((4,), "float32", data=A.data, elem_offset=6)
    for i in range(4):
        C[i] = V[i] - V[i]
    for i in range(8):
        C[i] = A[i]
