# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rows_minus(M: T.Buffer((8, 4), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        S = T.alloc_buffer((8,), "float32")
        for i in range(8):
            S[i] = T.float32(0)
            for k in range(4):
                S[i] = S[i] + M[i, k]
        for i in range(8):
            C[i] = S[i] - B[i]

    @R.function
    def main(x: R.Tensor((8,), dtype="float32"), m: R.Tensor((8, 4), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        with R.dataflow():
            b = R.call_tir(cls.rows_minus, (m, x), out_sinfo=R.Tensor((8,), dtype="float32"))
            R.output(b)
        return b
