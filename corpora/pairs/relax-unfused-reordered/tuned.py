# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rows(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = T.float32(0)
            for k in range(4):
                C[i] = C[i] + A[i, 3 - k]

    @T.prim_func(private=True, s_tir=True)
    def minus(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = A[i] - B[i]

    @R.function
    def main(x: R.Tensor((8,), dtype="float32"), m: R.Tensor((8, 4), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.rows, (m,), out_sinfo=R.Tensor((8,), dtype="float32"))
            b = R.call_tir(cls.minus, (a, x), out_sinfo=R.Tensor((8,), dtype="float32"))
            R.output(b)
        return b
