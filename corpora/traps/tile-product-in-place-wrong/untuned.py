# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 1), "float16"), B: T.Buffer((1, 1), "float16"), C: T.Buffer((1, 1), "float16")):
    C[0, 0] = T.float16(5)
    C[0, 0] = T.fma(C[0, 0], B[0, 0], C[0, 0])
