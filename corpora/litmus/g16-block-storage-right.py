# SPDX-License-Identifier: Apache-2.0
# G16 right: ok
# Each block has a shared buffer of its own, and fills it.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((1,), "int32", scope="shared")
    for bx in T.thread_binding(64, thread="blockIdx.x"):
        S[0] = A[bx]
        C[bx] = S[0]
