# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((4,), "int8")):
    for i in range(4):
        C[i] = T.Cast("int8", A[i])
