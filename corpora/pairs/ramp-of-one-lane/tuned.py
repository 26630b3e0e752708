# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        if T.Ramp(i, 2, 1) < 6:
            B[T.Ramp(i, 3, 1)] = A[i]
        else:
            B[i] = T.float32(0)
