# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def part(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        for i in range(7):
            C[i + 1] = A[i]

    @T.prim_func(private=True, s_tir=True)
    def use(Y: T.Buffer((8,), "int32"), A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            C[i] = A[i] + (Y[i] - Y[i])

    @R.function
    def main(x: R.Tensor((8,), dtype="int32")) -> R.Tensor((8,), dtype="int32"):
        cls = Module
        y = R.call_tir(cls.part, (x,), out_sinfo=R.Tensor((8,), dtype="int32"))
        z = R.call_tir(cls.use, (y, x,), out_sinfo=R.Tensor((8,), dtype="int32"))
        return z
