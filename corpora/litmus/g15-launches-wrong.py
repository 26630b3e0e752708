# SPDX-License-Identifier: Apache-2.0
# G15 wrong: race
# Blocks of one kernel are not ordered.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for bx in T.thread_binding(64, thread="blockIdx.x"):
        B[bx] = A[bx]
        C[bx] = B[63 - bx]
