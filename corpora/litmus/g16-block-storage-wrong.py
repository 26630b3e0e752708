# SPDX-License-Identifier: Apache-2.0
# G16 wrong: undefined
# What another block stored is not in this block's copy, which starts
# uninitialised.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for bx in T.thread_binding(64, thread="blockIdx.x"):
        S[bx] = A[bx]
        C[bx] = S[63 - bx]
