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
    def pick(S: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            C[i] = T.if_then_else(S[i] == T.float32(0), B[i + 8], T.float32(0))

    @R.function
    def main(x: R.Tensor((8, 4), dtype="float32"), y: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        s = R.call_tir(cls.total, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
        w = R.call_tir(cls.pick, (y, y,), out_sinfo=R.Tensor((8,), dtype="float32"))
        z = R.call_tir(cls.pick, (s, y,), out_sinfo=R.Tensor((8,), dtype="float32"))
        return z
