# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((1,), "float32")):
    L = T.alloc_buffer((1,), "float32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        L[0] = A[tx]
        L[0] = L[0] + T.tvm_warp_shuffle_down(T.uint32(4294967295), L[0], 16, 32, 32)
        L[0] = L[0] + T.tvm_warp_shuffle_down(T.uint32(4294967295), L[0], 8, 32, 32)
        L[0] = L[0] + T.tvm_warp_shuffle_down(T.uint32(4294967295), L[0], 4, 32, 32)
        L[0] = L[0] + T.tvm_warp_shuffle_down(T.uint32(4294967295), L[0], 2, 32, 32)
        if tx == 0:
            C[0] = L[0]
