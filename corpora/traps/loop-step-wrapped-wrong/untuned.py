# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((8,), "int32")):
    for r in T.serial(T.uint8(0), T.uint8(8)):
        C[r] = 0
        for i in T.serial(T.uint8(0), (r + T.uint8(247) + T.uint8(9)) // T.uint8(10)):
            C[r] = C[r] + 1
