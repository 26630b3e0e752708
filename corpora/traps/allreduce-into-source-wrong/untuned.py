# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for i in range(32):
        C[i] = T.float32(0)
        for k in range(32):
            C[i] = C[i] + A[k]
