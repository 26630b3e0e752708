# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# Rows in steps of 4; indices are no longer clipped to the table.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(table: T.Buffer((10, 8), "float32"), indices_handle: T.handle, out_handle: T.handle):
        n = T.int32()
        indices = T.match_buffer(indices_handle, (n,), "int32")
        out = T.match_buffer(out_handle, (n, 8), "float32")
        for i_0, i_1 in T.grid((n + 3) // 4, 4):
            for j in T.vectorized(8):
                with T.sblock("out"):
                    v_i = T.axis.spatial(n, i_0 * 4 + i_1)
                    v_j = T.axis.spatial(8, j)
                    T.where(i_0 * 4 + i_1 < n)
                    out[v_i, v_j] = table[indices[v_i], v_j]
