# SPDX-License-Identifier: Apache-2.0
# G3 right: ok
# No barrier is written for shared memory, so one is supplied here.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        S[tx] = A[tx]
        C[tx] = S[63 - tx]
