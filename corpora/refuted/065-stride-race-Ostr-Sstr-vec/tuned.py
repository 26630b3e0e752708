# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4, 3), "int8", layout=None), O: T.Buffer((4, 3), "int8", strides=(0, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((4, 3), "int8", strides=(5, 1), layout=None)
        for i in T.vectorized(4):
            for j in range(3):
                O[i, j] = A[i, j]
