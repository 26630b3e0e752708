# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((4, 9), "float32"), B: T.Buffer((4, 9), "float32")):
        for i, k in T.grid(4, 9):
            B[i, k] = A[i, k]

    @T.prim_func(s_tir=True)
    def dot(A: T.Buffer((16, 9), "float32"), B: T.Buffer((16, 9), "float32"), C: T.Buffer((16,), "float32")):
        for i in range(16):
            C[i] = T.float32(0)
            for k in range(9):
                C[i] = C[i] + A[i, k] * B[i, k]
