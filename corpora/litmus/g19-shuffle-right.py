# SPDX-License-Identifier: Apache-2.0
# G19 right: ok
# All lanes of the mask arrive; out of the segment a lane gets its own value.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        C[tx] = A[tx] + T.tvm_warp_shuffle_down(T.uint32(0xffffffff), A[tx], 16, 32, 32)
