# SPDX-License-Identifier: Apache-2.0
# G21 wrong: race
# Shuffles order no memory, although all lanes arrive.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        B[tx] = A[tx] + T.tvm_warp_shuffle_down(T.uint32(0xffffffff), A[tx], 1, 32, 32)
        C[tx] = B[31 - tx] + T.tvm_warp_shuffle_down(T.uint32(0xffffffff), A[tx], 1, 32, 32)
