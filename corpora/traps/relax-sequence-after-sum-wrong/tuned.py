# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def total(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = T.float32(0)
            for j in range(4):
                C[i] = C[i] + A[i, 3 - j]

    @T.prim_func(private=True, s_tir=True)
    def add1(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = A[i] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def mul2(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = A[i] * T.float32(2)

    @R.function
    def main(x: R.Tensor((8, 4), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        s = R.call_tir(cls.total, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
        a = R.call_tir(cls.add1, (s,), out_sinfo=R.Tensor((8,), dtype="float32"))
        z = R.call_tir(cls.mul2, (a,), out_sinfo=R.Tensor((8,), dtype="float32"))
        return z
