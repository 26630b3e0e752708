# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), m: T.int32, C: T.Buffer((8,), "float32")):
    for bx in T.thread_binding(1 // m, 1 // m + 4, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            C[tx] = A[tx]
