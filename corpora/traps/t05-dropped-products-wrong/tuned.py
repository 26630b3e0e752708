# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32"), W: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
    C[0] = T.float32(0)
    for k in range(8):
        C[0] = C[0] + T.if_then_else(k < 4, A[k], T.float32(0)) * W[k]
