# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((2, 8), "int32", strides=(5, 0), layout=None), O: T.Buffer((4, 4), "int32", strides=(0, 0), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((32,), "int32", layout=None)
        S3 = T.alloc_buffer((6,), "int32", layout=None)
        V4 = T.decl_buffer((5,), "int32", data=S3.data, strides=(1,), layout=None)
        V5 = T.decl_buffer((6, 4), "int32", data=S3.data, strides=(0, 0), layout=None)
        for i in range(32):
            S2[i] = 3
        for i_1 in range(2):
            S3[i_1] = A[i_1, 4]
        for i_2 in range(20):
            S2[i_2] = 6
        for i_3, j in T.grid(2, 4):
            O[1 - i_3, j] = A[1 - i_3, j]
