# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(Q: T.Buffer((32, 16), "float32"), K: T.Buffer((32, 16), "float32"), V: T.Buffer((32, 16), "float32"), O: T.Buffer((32, 16), "float32")):
    s = T.alloc_buffer((32, 32), "float32")
    m = T.alloc_buffer((32,), "float32")
    z = T.alloc_buffer((32,), "float32")
    for i, j in T.grid(32, 32):
        s[i, j] = T.float32(0)
        for k in range(16):
            s[i, j] = s[i, j] + Q[i, k] * K[j, k]
    for i in range(32):
        m[i] = T.float32("-inf")
        for j in range(32):
            m[i] = T.max(m[i], s[i, j])
    for i in range(32):
        z[i] = T.float32(0)
        for j in range(32):
            z[i] = z[i] + T.exp(s[i, j] - m[i])
    for i, k in T.grid(32, 16):
        O[i, k] = T.float32(0)
        for j in range(32):
            O[i, k] = O[i, k] + T.exp(s[i, j] - m[i]) / z[i] * V[j, k]
