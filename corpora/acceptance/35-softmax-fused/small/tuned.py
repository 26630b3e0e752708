# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), S: T.Buffer((2, 8), "float32")):
    m = T.alloc_buffer((2,), "float32")
    z = T.alloc_buffer((2,), "float32")
    for i in T.parallel(2):
        m[i] = T.float32("-inf")
        for k in range(8):
            m[i] = T.max(m[i], A[i, k])
        z[i] = T.float32(0)
        for k in range(8):
            z[i] = z[i] + T.exp(A[i, k] - m[i])
        for k in range(8):
            S[i, k] = T.exp(A[i, k] - m[i]) / z[i]
