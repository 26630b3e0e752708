# SPDX-License-Identifier: Apache-2.0
# G1 right: ok
# Each thread reads what it stored to its own copy.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    L = T.alloc_buffer((1,), "int32", scope="local")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        L[0] = A[tx]
        C[tx] = L[0]
