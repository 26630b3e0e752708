# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), n: T.int32, C: T.Buffer((8,), "float32")):
    for i in range(8):
        C[i] = T.float32(0)
        if n > 2 and n < 100:
            C[i] = T.if_then_else(i // (1 - n) >= 0, A[i], T.float32(1))
