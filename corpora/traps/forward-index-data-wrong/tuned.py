# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), I: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        P = T.alloc_buffer((1,), "int32")
        v = T.alloc_buffer((2,), "float32")
        P[0] = 0
        v[1] = T.float32(7)
        for i in range(8):
            P[0] = 0
            v[P[0]] = C[i]
            P[0] = 1
            C[i] = v[P[0]] + A[i]
