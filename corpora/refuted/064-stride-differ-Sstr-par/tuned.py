# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((5, 5), "int32", layout=None), O: T.Buffer((5, 5), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((5, 5), "int32", strides=(1, 1), layout=None)
        for i in T.parallel(5):
            for j in range(5):
                O[i, j] = A[i, j]
