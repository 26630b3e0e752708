# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((2,), "float32")):
    C[1] = A[0]
    for j in range(8):
        if (j + 1) % 8 > 0:
            C[0] = B[j]
