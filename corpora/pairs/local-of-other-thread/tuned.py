# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    L = T.alloc_buffer((8,), "float32", scope="local")
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        L[tx] = A[tx]
        C[tx] = L[7 - tx]
