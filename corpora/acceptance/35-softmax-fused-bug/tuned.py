# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1000), "float32"), S: T.Buffer((1024, 1000), "float32")):
    m = T.alloc_buffer((1024,), "float32")
    z = T.alloc_buffer((1024,), "float32")
    for i in T.parallel(1024):
        m[i] = T.float32("-inf")
        for k in range(1000):
            m[i] = T.max(m[i], A[i, k])
        z[i] = T.float32(0)
        for k in range(1000):
            z[i] = z[i] + T.exp(A[i, 999] - m[i])
        for k in range(1000):
            S[i, k] = T.exp(A[i, k] - m[i]) / z[i]
