# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4, 64), "float32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        for k in range(4):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            S[t] = A[k, t]
            T.evaluate(T.tvm_storage_sync("shared"))
            B[k, t] = S[63 - t]
            T.evaluate(T.tvm_storage_sync("shared"))
