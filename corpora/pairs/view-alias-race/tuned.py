# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    V = T.decl_buffer((2, 4), "float32", data=C.data)
    for i in T.parallel(8):
        C[i] = A[i]
        V[0, 0] = A[i]
