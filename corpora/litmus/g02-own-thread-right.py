# SPDX-License-Identifier: Apache-2.0
# G2 right: ok
# A thread's own accesses are in program order, without any barrier.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        S[tx] = A[tx]
        S[tx] = S[tx] * 2
        C[tx] = S[tx]
        T.evaluate(T.tvm_storage_sync("shared"))
