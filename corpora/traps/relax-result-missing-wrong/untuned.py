# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def fill(C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def fill2(C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = T.float32(2)

    @R.function
    def main(s: R.Shape(["n"])) -> R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.fill, (), out_sinfo=R.Tensor((8,), dtype="float32"))
        b = R.call_tir(cls.fill2, (), out_sinfo=R.Tensor((8,), dtype="float32"))
        return (a, b)
