# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# Tiles of 8 x 16 elements, summed in a buffer of their own.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64, 48), "float32"), B: T.Buffer((48, 32), "float32"), C: T.Buffer((64, 32), "float32")):
        tile = T.sblock_alloc_buffer((64, 32), "float32")
        for i_0 in T.parallel(8):
            for j_0 in range(2):
                for k, i_1 in T.grid(48, 8):
                    for j_1 in T.vectorized(16):
                        with T.sblock("tile"):
                            v_i = T.axis.spatial(64, i_0 * 8 + i_1)
                            v_j = T.axis.spatial(32, j_0 * 16 + j_1)
                            v_k = T.axis.reduce(48, k)
                            with T.init():
                                tile[v_i, v_j] = T.float32(0)
                            tile[v_i, v_j] = tile[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
                for i_1, j_1 in T.grid(8, 16):
                    with T.sblock("C"):
                        v_i = T.axis.spatial(64, i_0 * 8 + i_1)
                        v_j = T.axis.spatial(32, j_0 * 16 + j_1)
                        C[v_i, v_j] = tile[v_i, v_j]
