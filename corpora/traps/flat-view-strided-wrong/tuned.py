# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, C: T.Buffer((8,), "float32")):
    A = T.match_buffer(a, (2, 4), "float32", strides=[8, 1])
    B = T.decl_buffer((8,), "float32", data=A.data)
    for i in range(8):
        C[i] = B[i]
