# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "int32"), D: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), G: T.Buffer((8,), "float32"), n: T.int32):
        x0 = T.var("int32")
        i0: T.int32 = A[0] + 1
        f0: T.float32 = D[0] + T.float32(1)
        c0: T.bool = A[1] > 1
        f1: T.float32 = D[i0 % 8] + f0
        i1: T.int32 = T.Cast("int32", T.Cast("int8", i0 + i0))
        i2: T.int32 = T.max(i1, T.min(i1, i1))
        f2: T.float32 = D[i2 % 8] + f1
        for i3, i4 in T.grid(i2, i2):
            i5: T.int32 = T.max(i4, T.min(i4, i4))
            T.evaluate(i5)
            if i5 > 2: G[1] = f2
            i6: T.int32 = T.Cast("int32", f2)
            f3: T.float32 = D[i6 % 8] + f2
            i7: T.int32 = T.max(i6, T.min(i6, i6))
            i8: T.int32 = T.Cast("int32", T.Cast("int64", i7) * T.Cast("int64", i7))
            if c0: B[0] = i8
            i9: T.int32 = T.shift_left(i8, i8)
            S0 = T.decl_buffer((8,), "int8", data=B.data, elem_offset=i9)
            S0[i9 % 8] = T.Cast("float32", i9)
            B[0] = i9
            G[0] = f3
