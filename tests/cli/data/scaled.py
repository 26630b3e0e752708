# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# Two literals of many digits an element.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32"), C: T.Buffer((256,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(256):
            with T.sblock("C"):
                v_i = T.axis.spatial(256, i)
                C[v_i] = A[v_i] * T.float32(0.31830987334251404) + B[v_i] * T.float32(0.1)
