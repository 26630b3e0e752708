# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), X: T.Buffer((1,), "int32"), B: T.Buffer((8,), "int32")):
    for j in range(8):
        B[j] = A[j]
