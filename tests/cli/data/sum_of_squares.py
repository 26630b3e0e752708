# SPDX-License-Identifier: Apache-2.0
# Sums of few squares: where LLVM unrolls them whole, the first square is added to nothing and fused with the second.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((32, 5), "float32"), C: T.Buffer((32,), "float32")):
        for i, k in T.grid(32, 5):
            with T.sblock("squares"):
                u, v = T.axis.remap("SR", [i, k])
                with T.init():
                    C[u] = T.float32(0.0)
                C[u] = C[u] + (A[u, v] - T.float32(0.3)) * (A[u, v] - T.float32(0.3))
