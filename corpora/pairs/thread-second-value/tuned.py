# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(S: T.Buffer((1,), "int32")):
    for tx in T.thread_binding(2, thread="threadIdx.x"):
        S[0] = 7
        if tx == 1:
            S[0] = 9
