# SPDX-License-Identifier: Apache-2.0
# Products that one statement stores and another one adds: compilers that fuse wherever they like do it there.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(16):
            B = T.alloc_buffer((4,), "float32")
            for j in range(4):
                B[j] = A[i * 4 + j] * T.float32(3.3)
            for j in range(4):
                C[i * 4 + j] = B[3 - j] + T.float32(0.7)
