# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, B: T.Buffer((4, 8), "int32")):
    A = T.match_buffer(a, (4, 8), "int32", strides=(16, 1))
    for i, j in T.grid(4, 8):
        B[i, j] = A[i, j]
