# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), C: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        P = T.alloc_buffer((1,), "int32")
        P[0] = 4
        with T.sblock("b"):
            B = T.alloc_buffer((P[0],), "float32")
            P[0] = 8
            for i in range(8):
                B[i] = A[i]
            for i in range(8):
                C[i] = B[i]
