# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rows(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        with T.sblock("root"):
            S = T.alloc_buffer((2, 4), "int32")
            U = T.alloc_buffer((4,), "int32")
            for i, j in T.grid(2, 4):
                S[i, j] = A[i * 4 + j]
            for j in range(4):
                S[0, j + 4] = U[j]
            for i, j in T.grid(2, 4):
                C[i * 4 + j] = S[i, j]

    @T.prim_func(private=True, s_tir=True)
    def use(Y: T.Buffer((8,), "int32"), A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        for i in range(8):
            C[i] = A[i] + (Y[i] - Y[i])

    @R.function
    def main(x: R.Tensor((8,), dtype="int32")) -> R.Tensor((8,), dtype="int32"):
        cls = Module
        y = R.call_tir(cls.rows, (x,), out_sinfo=R.Tensor((8,), dtype="int32"))
        z = R.call_tir(cls.use, (y, x,), out_sinfo=R.Tensor((8,), dtype="int32"))
        return z
