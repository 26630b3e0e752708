# SPDX-License-Identifier: Apache-2.0
# G17 right: ok
# The barrier waits for all virtual threads; the buffer is one per block.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for vx in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S[vx * 32 + tx] = A[vx * 32 + tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            C[vx * 32 + tx] = S[63 - (vx * 32 + tx)]
