# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), I: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        T.evaluate(T.address_of(A[I[100]]))
        for i in range(8):
            C[i] = A[i]
