# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# C = A B, tiles of 8 rows of B through a double buffer.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 32), "float32"), B: T.Buffer((32, 8), "float32"), C: T.Buffer((8, 8), "float32")):
        T.func_attr({"tirx.noalias": True})
        D = T.sblock_alloc_buffer((2, 8, 8), "float32")
        for i, j in T.grid(8, 8):
            with T.sblock("first"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                D[0, v_i, v_j] = B[v_i, v_j]
        for i, j in T.grid(8, 8):
            with T.sblock("zero"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                C[v_i, v_j] = T.float32(0.0)
        for t in range(4):
            for i, j in T.grid(8, 8):
                with T.sblock("load"):
                    v_t, v_i, v_j = T.axis.remap("SSS", [t, i, j])
                    T.where(t < 3)
                    D[(v_t + 1) % 2, v_i, v_j] = B[(v_t + 1) * 8 + v_i, v_j]
            for i, j, k in T.grid(8, 8, 8):
                with T.sblock("C"):
                    v_t, v_i, v_j, v_k = T.axis.remap("RSSR", [t, i, j, k])
                    C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_t * 8 + v_k] * D[v_t % 2, v_k, v_j]
