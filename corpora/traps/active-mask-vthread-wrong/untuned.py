# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((2, 16), "uint32")):
    for i, j in T.grid(2, 16):
        C[i, j] = T.uint32(4294967295)
