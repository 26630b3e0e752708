# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(T.uint8(0), T.uint8(32), thread="threadIdx.x"):
        C[tx] = T.tvm_warp_shuffle_down(T.uint32(4294967295), A[tx], 240, 32, 32)
