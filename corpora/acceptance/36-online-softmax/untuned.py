# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 64), "float32"), C: T.Buffer((8, 64), "float32")):
    m = T.alloc_buffer((8,), "float32")
    z = T.alloc_buffer((8,), "float32")
    for i in range(8):
        m[i] = T.float32("-inf")
        for j in range(64):
            m[i] = T.max(m[i], A[i, j])
        z[i] = T.float32(0)
        for j in range(64):
            z[i] = z[i] + T.exp(A[i, j] - m[i])
        for j in range(64):
            C[i, j] = T.exp(A[i, j] - m[i]) / z[i]
