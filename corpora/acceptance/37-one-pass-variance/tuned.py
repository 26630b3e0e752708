# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 64), "float32"), M: T.Buffer((16,), "float32"), V: T.Buffer((16,), "float32")):
    s = T.alloc_buffer((1,), "float32")
    q = T.alloc_buffer((1,), "float32")
    for i in range(16):
        s[0] = T.float32(0)
        q[0] = T.float32(0)
        for j in range(64):
            s[0] = s[0] + A[i, j]
            q[0] = q[0] + A[i, j] * A[i, j]
        M[i] = s[0] * T.float32(0.015625)
        V[i] = (q[0] - s[0] * s[0] * T.float32(0.015625)) * T.float32(0.015625)
