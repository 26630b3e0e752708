# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(S: T.Buffer((1,), "int32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        S[0] = 3
        if bx == 1:
            S[0] = 4
