# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 64), "float32"), C: T.Buffer((8, 64), "float32")):
    m = T.alloc_buffer((1,), "float32")
    new = T.alloc_buffer((1,), "float32")
    z = T.alloc_buffer((1,), "float32")
    for i in range(8):
        m[0] = T.float32("-inf")
        z[0] = T.float32(0)
        for j in range(64):
            new[0] = T.max(m[0], A[i, j])
            z[0] = z[0] * T.exp(m[0] - new[0]) + T.exp(A[i, j] - new[0])
            m[0] = new[0]
        for j in range(64):
            C[i, j] = T.exp(A[i, j] - m[0]) / z[0]
