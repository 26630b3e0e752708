# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((2, 3000), "float16"), C: T.Buffer((2,), "float16")):
        for i in range(2):
            C[i] = T.float16(0)
            for k in range(3000):
                C[i] = C[i] + A[i, 2999 - k]
