# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((5,), "int8", strides=(1,), layout=None), O: T.Buffer((3, 4), "int8", strides=(1, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((4, 2), "int8", strides=(0, 1), layout=None)
        S3 = T.alloc_buffer((36,), "int8", layout=None)
        V4 = T.decl_buffer((4,), "int8", data=S2.data, layout=None)
        for i, j in T.grid(2, 2):
            S2[i, j] = A[i * 2 + j]
        for i_1 in range(36):
            S3[i_1] = T.int8(2)
        for i_2, j_1 in T.grid(3, 4):
            O[i_2, 0] = S3[i_2 * 3 + j_1] ^ S3[i_2]
