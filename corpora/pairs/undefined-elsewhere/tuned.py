# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32")):
    for i in range(64):
        B[i] = T.Cast("int32", T.Cast("int16", A[i]))
