# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(S: T.Buffer((1,), "int32"), C: T.Buffer((4,), "int32")):
    for i in T.parallel(4):
        S[0] = 7
        C[i] = S[0] + i
