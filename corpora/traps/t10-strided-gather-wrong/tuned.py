# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, X: T.Buffer((4,), "int32"), D: T.Buffer((32,), "int32"), B: T.Buffer((4,), "int32")):
    A = T.match_buffer(a, (4, 8), "int32", strides=(16, 1))
    for i in range(4):
        B[i] = T.Select(D[X[i]] == D[X[i]], A[0, X[i]], 0)
