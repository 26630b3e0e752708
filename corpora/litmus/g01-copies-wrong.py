# SPDX-License-Identifier: Apache-2.0
# G1 wrong: undefined
# The element was stored by another thread, to that thread's copy.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    L = T.alloc_buffer((64,), "int32", scope="local")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        L[tx] = A[tx]
        C[tx] = L[63 - tx]
