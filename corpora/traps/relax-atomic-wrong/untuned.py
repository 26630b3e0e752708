# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def count(A: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
        for bx in T.thread_binding(1, thread="blockIdx.x"):
            C[0] = T.float32(0)
        for bx in T.thread_binding(8, thread="blockIdx.x"):
            T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), A[bx]))

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((1,), dtype="float32"):
        cls = Module
        z = R.call_tir(cls.count, (x,), out_sinfo=R.Tensor((1,), dtype="float32"))
        return z
