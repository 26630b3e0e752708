# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8,), "float32"), O: T.Buffer((1,), "float32")):
        O[0] = T.float32("-inf")
        for i in range(8):
            O[0] = T.max(X[i], O[0])
