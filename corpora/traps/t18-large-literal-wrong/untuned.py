# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((16,), "uint64"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        B[i] = T.Select(X[i] < T.uint64(18446744073709551615), 1, 0)
