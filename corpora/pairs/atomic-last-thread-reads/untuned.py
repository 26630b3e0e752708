# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((1,), "int32")):
    A[0] = A[0] + 8
    C[0] = A[0]
