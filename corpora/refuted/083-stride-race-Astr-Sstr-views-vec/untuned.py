# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((2, 6), "int32", strides=(3, 2), layout=None), O: T.Buffer((4,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((2, 4), "int32", strides=(3, 1), layout=None)
        V3 = T.decl_buffer((2,), "int32", data=S2.data, layout=None)
        V4 = T.decl_buffer((3,), "int32", data=S2.data, layout=None)
        for i, j in T.grid(2, 4):
            S2[i, j] = A[i, j]
        for i_1 in range(2):
            O[i_1 * 2] = 2
