# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((2,), "int32")):
    for i in range(2):
        C[i] = 3
