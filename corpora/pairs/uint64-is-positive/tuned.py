# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "uint64"), C: T.Buffer((16,), "int32")):
    for i in range(16):
        C[i] = T.if_then_else(A[i] >= T.uint64(9223372036854775808), 1, 0)
