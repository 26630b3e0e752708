# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def put(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            C[i] = T.Select(C[i] > 0, A[i], A[i])

    @R.function
    def main(x: R.Tensor((8,), dtype="int32"), y: R.Tensor((8,), dtype="int32")) -> R.Tensor((8,), dtype="int32"):
        cls = Module
        a = R.call_tir_inplace(cls.put, (x, y,), out_sinfo=R.Tensor((8,), dtype="int32"), inplace_indices=[1])
        z = R.call_tir(cls.put, (a,), out_sinfo=R.Tensor((8,), dtype="int32"))
        return z
