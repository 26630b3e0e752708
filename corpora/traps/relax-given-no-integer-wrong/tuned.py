# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def whole(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            C[i] = T.Cast("int32", A[i])

    @T.prim_func(private=True, s_tir=True)
    def use(Y: T.Buffer((8,), "int32"), A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = T.if_then_else(Y[i] > 0, A[i], A[i])

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        y = R.call_tir(cls.whole, (x,), out_sinfo=R.Tensor((8,), dtype="int32"))
        z = R.call_tir(cls.use, (y, x,), out_sinfo=R.Tensor((8,), dtype="float32"))
        return z
