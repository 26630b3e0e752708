# SPDX-License-Identifier: Apache-2.0
# G17 wrong: race
# Virtual threads are threads: the other one's element needs a barrier.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for vx in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.evaluate(T.tvm_storage_sync("shared"))
            S[vx * 32 + tx] = A[vx * 32 + tx]
            C[vx * 32 + tx] = S[(1 - vx) * 32 + tx]
