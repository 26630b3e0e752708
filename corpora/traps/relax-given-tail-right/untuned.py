# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def tail(a: T.handle, c: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (m,), "float32")
        for i in range(m):
            C[i] = A[n - m + i]

    @T.prim_func(private=True, s_tir=True)
    def use(A: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")):
        for i in range(6):
            C[i] = A[i] * T.float32(2)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((6,), dtype="float32"):
        cls = Module
        a = R.call_tir(cls.tail, (x,), out_sinfo=R.Tensor((6,), dtype="float32"))
        b = R.call_tir(cls.use, (a,), out_sinfo=R.Tensor((6,), dtype="float32"))
        return b
