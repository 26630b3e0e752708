# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((9,), "int32")):
    for i in range(9):
        if i < 8 and A[i] > 0:
            C[i] = 1
        else:
            C[i] = 0
