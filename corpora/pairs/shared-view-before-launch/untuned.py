# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((4,), "int32")):
    for bx, tx in T.grid(2, 2):
        C[bx * 2 + tx] = 9 + bx
