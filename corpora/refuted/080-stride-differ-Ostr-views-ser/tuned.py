# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((8, 2), "int8", layout=None), O: T.Buffer((3, 4), "int8", strides=(2, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((20,), "int8", layout=None)
        V3 = T.decl_buffer((8, 4), "int8", data=S2.data, strides=(1, 1), elem_offset=3, layout=None)
        for i in range(20):
            S2[i] = T.int8(6)
        for j, i_1 in T.grid(4, 3):
            O[i_1, j] = T.max(A[i_1, 0], V3[4, j])
