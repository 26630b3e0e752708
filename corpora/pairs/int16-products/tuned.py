# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), C: T.Buffer((64,), "int32")):
    for i in range(64):
        C[i] = T.Cast("int32", T.Cast("int16", T.Cast("int32", A[i]) * T.Cast("int32", B[i])))
