# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "uint32")):
    for i in range(32):
        if i < 16:
            C[i] = T.uint32(4294967295)
        else:
            C[i] = T.uint32(0)
