# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def bump(A: T.Buffer((8,), "float32")):
        for i in range(8):
            A[i] = A[i] + T.float32(10)

    @T.prim_func(private=True, s_tir=True)
    def scale(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), v: T.int64):
        for i in range(8):
            C[i] = A[i] * T.Cast("float32", v)

    @R.function(private=True)
    def changed(y: R.Tensor((8,), dtype="float32")) -> R.Shape([8]):
        cls = Module
        w = R.call_tir_inplace(cls.bump, (y,), out_sinfo=R.Tensor((8,), dtype="float32"), inplace_indices=[0])
        return R.shape([8])

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        z = R.call_tir(cls.scale, (x,), out_sinfo=R.Tensor((8,), dtype="float32"), tir_vars=cls.changed(x))
        return z
