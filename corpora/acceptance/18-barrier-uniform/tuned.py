# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 256), "float32"), C: T.Buffer((1024, 128), "float32")):
    S = T.alloc_buffer((256,), "float32", scope="shared")
    for bx in T.thread_binding(1024, thread="blockIdx.x"):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            S[tx] = A[bx, tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            if tx < 128:
                C[bx, tx] = S[tx] + S[tx + 128]
