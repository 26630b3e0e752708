# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(S: T.Buffer((1,), "int32")):
    for i in T.parallel(2):
        S[0] = 7
        if i == 1:
            S[0] = 9
