# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((6, 8), "int16", strides=(7, 1), layout=None), O: T.Buffer((8,), "int16", strides=(0,), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((4,), "int16", strides=(1,), layout=None)
        V3 = T.decl_buffer((2,), "int16", data=S2.data, strides=(2,), layout=None)
        V4 = T.decl_buffer((3,), "int16", data=A.data, strides=(1,), layout=None)
        V5 = T.decl_buffer((4,), "int16", data=S2.data, strides=(0,), layout=None)
        V6 = T.decl_buffer((3,), "int16", data=S2.data, layout=None)
        for i in range(2):
            V6[i] = V3[i] - V3[i]
        for i_1 in range(2):
            V3[i_1] = A[i_1, i_1]
        for i_2 in T.vectorized(8):
            O[i_2] = O[i_2]
