# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = A[i, 2]
