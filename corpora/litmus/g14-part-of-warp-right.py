# SPDX-License-Identifier: Apache-2.0
# G14 right: ok
# A whole warp arrives; the other one has no part in it.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx < 32:
            T.evaluate(T.cuda.warp_sync())
        C[tx] = A[tx]
