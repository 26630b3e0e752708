# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X: T.Buffer((4,), "int8"), Y: T.Buffer((4,), "int8"), O: T.Buffer((4,), "int8")):
        for i in range(4):
            O[i] = T.if_then_else(X[i] > T.int8(0), Y[i] // X[i], T.int8(0))
