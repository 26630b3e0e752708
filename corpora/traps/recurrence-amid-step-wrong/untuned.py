# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((24,), "int32"), C: T.Buffer((24,), "int32")):
    I = T.alloc_buffer((1,), "int32")
    V = T.alloc_buffer((1,), "int32")
    I[0] = 1
    V[0] = 2
    for k in range(24):
        i: T.let[T.int32] = I[0] * A[k] - V[0]
        v: T.let[T.int32] = V[0] * A[k] - I[0]
        V[0] = v
        I[0] = i
        C[k] = I[0]
