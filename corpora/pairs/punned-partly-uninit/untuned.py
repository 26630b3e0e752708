# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((1,), "uint32")):
    C[0] = T.uint32(0)
