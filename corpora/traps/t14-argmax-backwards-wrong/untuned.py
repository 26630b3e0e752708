# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), I: T.Buffer((1,), "int32")):
    V = T.alloc_buffer((1,), "float32")
    V[0] = A[0]
    I[0] = 0
    for k in range(1, 8):
        if A[k] > V[0]:
            V[0] = A[k]
            I[0] = k
