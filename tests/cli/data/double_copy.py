# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# Tiles of 16 through a double buffer: the next tile is loaded before this one is stored.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32")):
        T.func_attr({"tirx.noalias": True})
        D = T.sblock_alloc_buffer((2, 16), "float32")
        for i in range(16):
            with T.sblock("first"):
                v_i = T.axis.spatial(16, i)
                D[0, v_i] = A[v_i]
        for t in range(8):
            for i in range(16):
                with T.sblock("load"):
                    v_t, v_i = T.axis.remap("SS", [t, i])
                    T.where(t < 7)
                    D[(v_t + 1) % 2, v_i] = A[(v_t + 1) * 16 + v_i]
            for i in range(16):
                with T.sblock("store"):
                    v_t, v_i = T.axis.remap("SS", [t, i])
                    C[v_t * 16 + v_i] = D[v_t % 2, v_i] + D[v_t % 2, v_i]
