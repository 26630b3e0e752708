# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int8"), B: T.Buffer((16,), "int8"), C: T.Buffer((16,), "int32")):
    for i in range(16):
        C[i] = T.if_then_else(T.Cast("int32", A[i]) + T.Cast("int32", B[i]) > 0, 1, 0)
