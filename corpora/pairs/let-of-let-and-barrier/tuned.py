# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            S = T.alloc_buffer((16,), "float32", scope="shared")
            row: T.let[T.int32] = bx // 2
            tile: T.let[T.int32] = bx % 2
            start: T.let[T.int32] = row * 32 + tile * 16
            V = T.decl_buffer((4, 4), "float32", data=S.data, scope="shared")
            S[tx] = A[start + tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            C[start + tx] = V[tx % 4, tx // 4]
