# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), N: T.Buffer((1,), "int32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[T.Ramp(i, T.truncdiv(8, N[0]), 1)] = A[i]
