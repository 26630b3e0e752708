# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), X: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float32")):
    D = T.alloc_buffer((1,), "float32")
    for i in range(8):
        for j in range(3):
            if T.shift_right(8, j) > 0 and X[i] >= 0 and X[i] < 8:
                D[0] = A[X[i]]
    for i in range(8):
        C[i] = T.if_then_else(X[i] >= 0 and X[i] < 8, A[X[i]], T.float32(0))
