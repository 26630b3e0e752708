# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 2), "float32"), B: T.Buffer((2, 2), "float32"), C: T.Buffer((2, 2), "float32")):
    C[0, 0] = T.float32(0)
    C[0, 1] = T.float32(0)
    C[1, 0] = T.float32(0)
    C[1, 1] = T.float32(0)
    C[0, 0] = C[0, 0] + A[0, 0] * B[0, 0]
    C[0, 0] = C[0, 0] + A[0, 1] * B[1, 0]
    C[0, 1] = C[0, 1] + A[0, 0] * B[0, 1]
    C[0, 1] = C[0, 1] + A[0, 1] * B[1, 1]
    C[1, 0] = C[1, 0] + A[1, 0] * B[0, 0]
    C[1, 0] = C[1, 0] + A[1, 1] * B[1, 0]
    C[1, 1] = C[1, 1] + A[1, 0] * B[0, 1]
    C[1, 1] = C[1, 1] + A[1, 1] * B[1, 1]
