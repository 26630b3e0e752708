# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def adds(A: T.Buffer((8,), "int64"), v: T.int64, C: T.Buffer((8,), "int64")):
        for i in range(8):
            C[i] = A[i] + v

    @R.function
    def main(x: R.Tensor((8,), dtype="int64")) -> R.Tensor((8,), dtype="int64"):
        cls = Module
        z = R.call_tir(cls.adds, (x, R.prim_value(T.int64(2)),), out_sinfo=R.Tensor((8,), dtype="int64"))
        return z
