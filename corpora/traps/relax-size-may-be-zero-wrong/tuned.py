# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def tail(A: T.handle, C: T.handle):
        n = T.int64()
        a = T.match_buffer(A, (n,), "float32")
        c = T.match_buffer(C, (n - 1,), "float32")
        for i in range(n - 1):
            c[i] = a[i + 1]

    @T.prim_func(private=True, s_tir=True)
    def total(A: T.handle, C: T.Buffer((1,), "float32")):
        m = T.int64()
        a = T.match_buffer(A, (m,), "float32")
        C[0] = T.float32(0) + a[0]
        for j in range(m - 1):
            C[0] = C[0] + a[j + 1]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor((1,), dtype="float32"):
        n = T.int64()
        cls = Module
        t = R.call_tir(cls.tail, (x,), out_sinfo=R.Tensor((n - 1,), dtype="float32"))
        z = R.call_tir(cls.total, (t,), out_sinfo=R.Tensor((1,), dtype="float32"))
        return z
