# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(Q: T.Buffer((32, 16), "float32"), K: T.Buffer((32, 16), "float32"), V: T.Buffer((32, 16), "float32"), O: T.Buffer((32, 16), "float32")):
    s = T.alloc_buffer((8,), "float32")
    p = T.alloc_buffer((8,), "float32")
    m = T.alloc_buffer((1,), "float32")
    new = T.alloc_buffer((1,), "float32")
    scale = T.alloc_buffer((1,), "float32")
    z = T.alloc_buffer((1,), "float32")
    acc = T.alloc_buffer((16,), "float32")
    for i in range(32):
        m[0] = T.float32("-inf")
        z[0] = T.float32(0)
        for k in range(16):
            acc[k] = T.float32(0)
        for j0 in range(4):
            for j1 in range(8):
                s[j1] = T.float32(0)
                for k in range(16):
                    s[j1] = s[j1] + Q[i, k] * K[j0 * 8 + j1, k]
            new[0] = m[0]
            for j1 in range(8):
                new[0] = T.max(new[0], s[j1])
            m[0] = new[0]
            scale[0] = T.exp(m[0] - new[0])
            z[0] = z[0] * scale[0]
            for j1 in range(8):
                p[j1] = T.exp(s[j1] - m[0])
                z[0] = z[0] + p[j1]
            for k in range(16):
                acc[k] = acc[k] * scale[0]
                for j1 in range(8):
                    acc[k] = acc[k] + p[j1] * V[j0 * 8 + j1, k]
        for k in range(16):
            O[i, k] = acc[k] / z[0]
