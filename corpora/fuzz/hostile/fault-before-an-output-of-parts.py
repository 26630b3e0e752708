# SPDX-License-Identifier: Apache-2.0
@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    S = T.decl_buffer((32,), "int8", data=B.data)
    S[0] = T.Cast("int8", A[0])
    B[4] = A[8]
