# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X: T.Buffer((4,), "int16"), Y: T.Buffer((4,), "int16"), O: T.Buffer((4,), "int32")):
        for i in range(4):
            O[i] = T.if_then_else(X[i] // Y[i] < T.int16(-32768), 1, 2)
