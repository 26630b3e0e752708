# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
    for i in range(2):
        C[i] = T.if_then_else(i * i * i * i * i * i * i * i * i * i * i * i * i * i * i * i * i * i > 0, A[i], T.float32(0))
