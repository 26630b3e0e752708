# SPDX-License-Identifier: Apache-2.0
# G8 right: ok
# warp_sync orders all accesses among the lanes of a warp.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx]
        T.evaluate(T.cuda.warp_sync())
        C[tx] = B[tx // 32 * 32 + 31 - tx % 32]
