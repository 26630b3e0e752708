# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int64"), C: T.Buffer((1,), "int64")):
    C[0] = T.int64(-4611686018427387904)
    for k in range(16):
        C[0] = T.Select(T.And(A[15 - k] > C[0], C[0] < T.int64(3000000000000000000)), A[15 - k], C[0])
