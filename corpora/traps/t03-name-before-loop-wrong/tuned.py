# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((1,), "int32")):
    C[0] = 0
    for k in range(4):
        v: T.int32 = C[0]
        for j in range(2):
            C[0] = v + A[k * 2 + j]
