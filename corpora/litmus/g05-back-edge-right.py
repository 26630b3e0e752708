# SPDX-License-Identifier: Apache-2.0
# G5 right: ok
# The second barrier keeps the next iteration's stores behind the reads.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        for k in range(4):
            S[tx] = A[tx] + k
            T.evaluate(T.tvm_storage_sync("shared"))
            C[tx] = S[63 - tx]
            T.evaluate(T.tvm_storage_sync("shared"))
