# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((A[0],), "float32")
    R = T.decl_buffer((4, 2), "float32", data=B.data, strides=[A[1], 0])
    S[0] = R[0, 0]
    for i in range(8):
        B[i] = S[0]
