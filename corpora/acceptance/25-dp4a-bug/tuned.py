# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 4), "int8"), B: T.Buffer((1024, 4), "int8"), C: T.Buffer((1024,), "int32")):
    for i in range(1024):
        C[i] = T.dp4a(A[i, 0:4], B[i, 0:4], 0, dtype="int32")
