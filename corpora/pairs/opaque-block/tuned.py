# SPDX-License-Identifier: Apache-2.0
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.handle, c: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i, k in T.grid(n, 4):
            if k == 0:
                C[i] = T.float32(0)
            C[i] = C[i] + A[i, k]
