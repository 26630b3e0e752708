# SPDX-License-Identifier: Apache-2.0
# G14 wrong: barrier divergence
# Half of the lanes of a warp arrive.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx < 16:
            T.evaluate(T.cuda.warp_sync())
        C[tx] = A[tx]
