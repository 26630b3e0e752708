# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# Four elements at once, two in the last turn.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
        for i_0, i_1 in T.grid(3, 4):
            with T.sblock("B"):
                v_i = T.axis.spatial(10, i_0 * 4 + i_1)
                T.where(i_0 * 4 + i_1 < 10)
                B[v_i] = T.max(A[v_i], T.float32(0))
