# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    S = T.alloc_buffer((32,), "float32", scope="shared")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        S[tx] = A[tx]
        S[tx] = T.tvm_warp_shuffle(T.uint32(4294967295), S[(tx + 1) % 32], tx, 32, 32)
        C[tx] = S[tx]
