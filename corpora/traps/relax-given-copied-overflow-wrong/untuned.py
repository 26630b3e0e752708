# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def square(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            C[i] = A[i] * A[i]

    @T.prim_func(private=True, s_tir=True)
    def copy(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            C[i] = A[i]

    @T.prim_func(private=True, s_tir=True)
    def use(Y: T.Buffer((8,), "int32"), A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            C[i] = A[i]

    @R.function
    def main(x: R.Tensor((8,), dtype="int32")) -> R.Tensor((8,), dtype="int32"):
        cls = Module
        y = R.call_tir(cls.square, (x,), out_sinfo=R.Tensor((8,), dtype="int32"))
        w0 = R.call_tir(cls.copy, (y,), out_sinfo=R.Tensor((8,), dtype="int32"))
        z = R.call_tir(cls.use, (w0, x,), out_sinfo=R.Tensor((8,), dtype="int32"))
        return z
