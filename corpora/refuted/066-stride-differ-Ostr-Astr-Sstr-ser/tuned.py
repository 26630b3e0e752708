# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4, 5), "int32", strides=(6, 2), layout=None), O: T.Buffer((4, 5), "int32", strides=(3, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((4, 5), "int32", strides=(6, 0), layout=None)
        for i, j in T.grid(4, 5):
            O[i, j] = A[i, j]
