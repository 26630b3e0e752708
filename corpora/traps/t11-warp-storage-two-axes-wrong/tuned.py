# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 32), "float32"), C: T.Buffer((2, 32), "float32")):
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            with T.sblock("b"):
                W = T.sblock_alloc_buffer((32,), scope="warp")
                W[0] = A[ty, tx]
                T.evaluate(T.cuda.warp_sync())
                C[ty, tx] = A[ty, tx]
