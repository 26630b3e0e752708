# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(B: T.Buffer((8,), "float32"), A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = A[i] - B[i]
