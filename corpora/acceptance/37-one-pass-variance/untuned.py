# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 64), "float32"), M: T.Buffer((16,), "float32"), V: T.Buffer((16,), "float32")):
    for i in range(16):
        M[i] = T.float32(0)
        for j in range(64):
            M[i] = M[i] + A[i, j]
        M[i] = M[i] * T.float32(0.015625)
        V[i] = T.float32(0)
        for j in range(64):
            V[i] = V[i] + (A[i, j] - M[i]) * (A[i, j] - M[i])
        V[i] = V[i] * T.float32(0.015625)
