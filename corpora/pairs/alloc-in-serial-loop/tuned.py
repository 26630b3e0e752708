# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        t = T.alloc_buffer((1,), "float32")
        if i == 0:
            t[0] = A[0]
        C[i] = t[0]
