# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(table: T.Buffer((10, 8), "float32"), indices_handle: T.handle, out_handle: T.handle):
        n = T.int32()
        indices = T.match_buffer(indices_handle, (n,), "int32")
        out = T.match_buffer(out_handle, (n, 8), "float32")
        for i, j in T.grid(n, 8):
            with T.sblock("out"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                out[v_i, v_j] = table[T.max(T.min(indices[v_i], 9), 0), v_j]
