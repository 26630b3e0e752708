# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 128), "float16"), B: T.Buffer((1024, 128), "int8"), C: T.Buffer((1024, 128), "float32")):
    for b, i in T.grid(1024, 128):
        C[b, i] = T.Cast("float32", A[b, 127 - i]) + T.Cast("float32", B[b, (i + 1) % 128]) * T.exp(T.Cast("float32", A[b, 127 - i]))
