# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(B: T.Buffer((16,), "float32")):
    c = T.alloc_buffer((3,), "float32")
    for i in range(3):
        c[i] = T.float32(0.25)
    for i in range(16):
        B[i] = T.float32(0)
        for k in range(3):
            B[i] = B[i] + c[k]
