# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((2,), "float32")):
    C[0] = T.float32(0)
    for k in range(16):
        C[0] = C[0] + A[0, k]
