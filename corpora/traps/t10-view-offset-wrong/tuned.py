# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((8,), "float32")):
    V = T.decl_buffer((8,), data=A.data, elem_offset=5)
    for i in range(8):
        C[i] = V[i]
