# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    with T.sblock("root"):
        S = T.sblock_alloc_buffer((8,), "float32", scope="shared")
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            S[tx] = A[tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            D[tx] = S[7 - tx]
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            S[tx] = A[tx] + T.float32(1)
            T.evaluate(T.tvm_storage_sync("shared"))
            C[tx] = S[7 - tx]
