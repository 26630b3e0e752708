# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# A term of which each step has the one before three times.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float32"), C: T.Buffer((1,), "float32")):
        V = T.alloc_buffer((1,), "float32")
        C[0] = T.float32(0)
        for k in range(4):
            V[0] = A[k]
            for i in range(15):
                V[0] = V[0] / (V[0] * V[0] + T.float32(0.7))
            C[0] = C[0] + V[0]
