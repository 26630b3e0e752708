# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((32,), "uint32")):
    for i in range(32):
        C[i] = T.uint32(0)
    for i in range(16):
        C[i] = T.uint32(4294967295)
