# SPDX-License-Identifier: Apache-2.0
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(B: T.Buffer((8,), "int32")):
        for i in range(1000):
            Module.one(B.data)
            Module.one(B.data)

    @T.prim_func(s_tir=True)
    def one(B: T.Buffer((8,), "int32")):
        B[0] = 1
