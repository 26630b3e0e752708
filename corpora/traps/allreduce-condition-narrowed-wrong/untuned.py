# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    for i in range(16):
        C[i] = T.Cast("int32", 0)
        for k in range(16):
            if k != 0:
                C[i] = C[i] + A[k]
