# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), C: T.Buffer((2, 8), "float32")):
    with T.sblock("root"):
        S = T.sblock_alloc_buffer((8,), "float32", scope="shared")
        R = T.sblock_alloc_buffer((8,), "float32", scope="shared")
        for k in range(2):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                S[tx] = A[k, tx]
                T.evaluate(T.tvm_storage_sync("shared"))
                C[k, tx] = S[7 - tx]
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                S[tx] = T.float32(0)
