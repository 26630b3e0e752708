# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 136), "float32"), B: T.Buffer((16, 136), "float32")):
    for i in range(16):
        for j in range(T.Cast("int32", T.Cast("int8", i + 120))):
            B[i, j] = A[i, j]
