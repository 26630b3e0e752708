# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((2, 4), "int16", strides=(1, 1), layout=None), O: T.Buffer((2, 4), "int16", strides=(1, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((2, 4), "int16", strides=(2, 0), layout=None)
        for i, j in T.grid(2, 4):
            S2[i, j] = A[i, j]
        for i_1, j_1 in T.grid(2, 4):
            O[i_1, j_1] = S2[i_1, j_1]
