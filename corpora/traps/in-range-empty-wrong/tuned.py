# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        C[i] = T.float32(-3.4028234663852886e38)
        for k in range(i):
            C[i] = T.max(C[i], A[k])
