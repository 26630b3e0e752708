# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(S: T.Buffer((1,), "int32")):
    for tx in T.thread_binding(2, thread="threadIdx.x"):
        if tx == 0:
            S[0] = 5
        S[0] = 7
