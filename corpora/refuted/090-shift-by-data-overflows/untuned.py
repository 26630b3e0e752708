# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X: T.Buffer((4,), "int32"), N: T.Buffer((4,), "int32"), O: T.Buffer((4,), "int32")):
        for i in range(4):
            O[i] = T.if_then_else(0 > 5, 1, 2) + X[i] - X[i]
