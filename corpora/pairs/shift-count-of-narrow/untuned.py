# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int8"), C: T.Buffer((16,), "int8")):
    for i in range(16):
        C[i] = T.int8(0)
