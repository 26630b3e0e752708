# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8,), "float32"), C: T.Buffer((4, 8,), "float32")):
    S = T.alloc_buffer((2, 8), "float32", scope="shared")
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        for k in range(4):
            S[k % 2, tx] = A[k, tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            C[k, tx] = S[k % 2, 7 - tx]
