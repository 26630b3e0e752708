# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 128), "float16"), C: T.Buffer((128,), "float16")):
    for i in range(128):
        C[i] = T.float16(0)
        for k in range(16):
            C[i] = C[i] + A[k, i]
