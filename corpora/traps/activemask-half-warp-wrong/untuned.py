# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((16,), "int32")):
    for i in range(16):
        C[i] = -1
