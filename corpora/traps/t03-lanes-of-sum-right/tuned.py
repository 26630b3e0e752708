# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 4), "int32"), C: T.Buffer((4,), "int32")):
    for i in range(4):
        C[i] = 0
    for k in range(16):
        v = T.alloc_buffer((1,), "int32x4", scope="local")
        v[0] = C[T.Ramp(0, 1, 4)]
        C[T.Ramp(0, 1, 4)] = v[0] + A[k, T.Ramp(0, 1, 4)]
