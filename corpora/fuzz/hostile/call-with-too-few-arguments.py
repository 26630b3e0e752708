# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add1(A: T.Buffer((8,), "float32"), n: T.int32, C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = A[i] + T.float32(1)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        z = R.call_tir(cls.add1, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
        return z
