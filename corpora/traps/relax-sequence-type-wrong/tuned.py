# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add1(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = A[i] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def again(A: T.Buffer((8,), "float32"), C: T.Buffer((2, 4), "float32")):
        for i in range(8):
            C[i // 4, i % 4] = A[i] + T.float32(1)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        cls = Module
        a = R.call_tir(cls.add1, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
        z = R.call_tir(cls.again, (a,), out_sinfo=R.Tensor((2, 4), dtype="float32"))
        return z
