# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((4,), "float32", scope="shared")
    for vx in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            S[tx] = A[vx * 4 + tx]
            C[vx * 4 + tx] = S[tx]
