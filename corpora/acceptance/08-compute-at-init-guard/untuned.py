# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((101, 101), "float32"), C: T.Buffer((101,), "float32")):
    B = T.alloc_buffer((101,), "float32")
    for i in range(101):
        B[i] = T.float32(0)
        for k in range(101):
            B[i] = B[i] + A[i, k]
    for i in range(101):
        C[i] = B[i]
