# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            for k in range(6):
                B[i, k] = A[i, k] + T.float32(1)
        for i in range(4):
            C[i] = T.float32(0)
            for k in range(6):
                C[i] = C[i] + A[i, k]
