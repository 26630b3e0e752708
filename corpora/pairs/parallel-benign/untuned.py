# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(S: T.Buffer((1,), "int32"), C: T.Buffer((4,), "int32")):
    S[0] = 7
    for i in range(4):
        C[i] = 7 + i
