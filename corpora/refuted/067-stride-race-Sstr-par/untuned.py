# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4, 5), "int8", layout=None), O: T.Buffer((4, 5), "int8", layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((4, 5), "int8", strides=(0, 1), layout=None)
        for i, j in T.grid(4, 5):
            S2[i, j] = A[i, j]
        for i_1, j_1 in T.grid(4, 5):
            O[i_1, j_1] = S2[i_1, j_1]
