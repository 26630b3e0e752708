# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((2, 4), "int32", layout=None), O: T.Buffer((2, 4), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((2, 4), "int32", strides=(2, 1), layout=None)
        for i in T.vectorized(2):
            for j in range(4):
                S2[i, j] = A[i, j]
        for i_1, j_1 in T.grid(2, 4):
            O[i_1, j_1] = A[i_1, j_1]
