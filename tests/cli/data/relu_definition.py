# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def my_relu(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32"), n: T.int32):
        for i in range(n):
            Y[i] = T.max(X[i], T.float32(0))

    @T.prim_func(s_tir=True)
    def not_called(X: T.Buffer((4,), "float32")):
        X[0] = T.float32(0)
