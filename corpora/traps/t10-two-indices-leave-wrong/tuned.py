# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4, 4), "float32"), X: T.Buffer((3,), "int32"), C: T.Buffer((1,), "float32")):
    W = T.alloc_buffer((4, 4, 4), "float32")
    for i, j, k in T.grid(4, 4, 4):
        W[i, j, k] = A[i, j, k]
    if 0 <= X[1] * 4 + X[2] and X[1] * 4 + X[2] < 16:
        W[X[0], X[1], X[2]] = T.float32(0)
    C[0] = T.if_then_else(X[0] == 1 and X[1] == 0 and X[2] == 3, T.float32(0), A[1, 0, 3])
