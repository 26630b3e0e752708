# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        C[i] = T.Select(T.Cast("int32", A[i]) == T.Cast("int32", A[i]), A[i], T.float32(0))
