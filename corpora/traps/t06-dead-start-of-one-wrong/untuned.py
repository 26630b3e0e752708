# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(n: T.int32, B: T.Buffer((8,), "float32")):
    for i in T.serial(8):
        B[i] = 1.0
