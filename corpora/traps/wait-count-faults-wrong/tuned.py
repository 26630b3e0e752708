# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float16"), P: T.Buffer((4,), "int32"), C: T.Buffer((32,), "float16")):
    S = T.alloc_buffer((256,), "float16", scope="shared")
    L = T.alloc_buffer((8,), "float16", scope="local")
    F = T.alloc_buffer((256,), "float16", scope="wmma.accumulator")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.evaluate(T.ptx_wait_group(1 // P[0]))
        C[tx] = A[tx]
