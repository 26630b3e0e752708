# SPDX-License-Identifier: Apache-2.0
# G19 wrong: barrier divergence
# The mask names all lanes, and half of them arrive.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        if tx < 16:
            C[tx] = A[tx] + T.tvm_warp_shuffle_down(T.uint32(0xffffffff), A[tx], 8, 32, 32)
