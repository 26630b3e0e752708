# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 4), "int8"), B: T.Buffer((1024, 4), "int8"), C: T.Buffer((1024,), "int32")):
    for i in range(1024):
        for r in range(4):
            C[i] = C[i] + T.Cast("int32", A[i, r]) * T.Cast("int32", B[i, r])
