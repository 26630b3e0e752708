# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.handle("float32"), C: T.handle("float32"), n: T.int32):
    A_1 = T.decl_buffer((n * 3,), "float32", data=A)
    C_1 = T.decl_buffer((n * 3,), "float32", data=C)
    for i, j in T.grid(n, 3):
        C_1[i * 3 + j] = A_1[T.min(i * 3 + j + 1, n * 3 - 1)] * T.float32(2)
