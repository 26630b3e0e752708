# SPDX-License-Identifier: Apache-2.0
# Threads pass values on through shared storage: one barrier of the four is
# needed, the one between the write of S and its read by another thread.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((256,), "float32"), C: T.Buffer((256,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        S = T.alloc_buffer((64,), scope="shared")
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            T.evaluate(T.tvm_storage_sync("shared"))
            S[tx] = A[bx * 64 + tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            T.evaluate(T.tvm_storage_sync("shared"))
            C[bx * 64 + tx] = S[63 - tx]
            T.evaluate(T.tvm_storage_sync("shared"))
