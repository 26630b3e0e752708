# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4, 3), "int32", layout=None), O: T.Buffer((4, 3), "int32", strides=(1, 0), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((4, 3), "int32", strides=(1, 1), layout=None)
        for j, i in T.grid(3, 4):
            S2[i, j] = A[i, j]
        for i_1 in T.parallel(4):
            for j_1 in range(3):
                O[i_1, j_1] = S2[i_1, j_1]
