# SPDX-License-Identifier: Apache-2.0
# G8 wrong: race
# The element was stored by the other warp.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx]
        T.evaluate(T.cuda.warp_sync())
        C[tx] = B[63 - tx]
