# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "int32")):
    for i in range(16):
        C[i] = T.if_then_else(A[i] > T.float32(-1000) and A[i] < T.float32(1000), T.Cast("int32", A[i]), 0)
