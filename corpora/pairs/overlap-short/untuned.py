# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((18,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        C[i] = T.float32(0)
        for c in range(3):
            C[i] = C[i] + A[i + c]
