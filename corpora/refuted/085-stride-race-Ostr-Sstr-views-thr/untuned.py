# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((8, 6), "int16", layout=None), O: T.Buffer((3, 4), "int16", strides=(2, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((4,), "int16", layout=None)
        S3 = T.alloc_buffer((4, 2), "int16", strides=(1, 1), layout=None)
        V4 = T.decl_buffer((4,), "int16", data=O.data, strides=(1,), layout=None)
        for i in range(4):
            S2[i] = A[i + 4, i] ^ A[0, 0]
        for i_1, j in T.grid(4, 2):
            S3[i_1, j] = A[i_1, j]
        for i_2, j_1 in T.grid(3, 4):
            O[i_2, j_1] = A[i_2 + 4, 2]
