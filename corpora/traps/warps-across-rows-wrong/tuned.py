# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for ty in T.thread_binding(4, thread="threadIdx.y"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            W = T.alloc_buffer((16,), "float32", scope="warp")
            W[tx] = A[ty * 16 + tx]
            C[ty * 16 + tx] = W[tx]
