# SPDX-License-Identifier: Apache-2.0
# G9 wrong: race
# Lanes of one warp do not run in lockstep.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        B[tx] = A[tx]
        C[tx] = B[31 - tx]
