# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    As = T.alloc_buffer((64, 16), "float32", scope="shared")
    Bs = T.alloc_buffer((16, 64), "float32", scope="shared")
    c = T.alloc_buffer((4, 4), "float32", scope="local")
    for by in T.thread_binding(16, thread="blockIdx.y"):
        for bx in T.thread_binding(16, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                for i, j in T.grid(4, 4):
                    c[i, j] = T.float32(0)
                for ko in range(64):
                    T.evaluate(T.tvm_storage_sync("shared"))
                    for q in range(4):
                        As[(q * 256 + tx) // 16, (q * 256 + tx) % 16] = A[by * 64 + (q * 256 + tx) // 16, ko * 16 + (q * 256 + tx) % 16]
                    for q in range(4):
                        Bs[(q * 256 + tx) // 64, (q * 256 + tx) % 64] = B[ko * 16 + (q * 256 + tx) // 64, bx * 64 + (q * 256 + tx) % 64]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    for ki, i, j in T.grid(16, 4, 4):
                        c[i, j] = c[i, j] + As[tx // 16 * 4 + i, ki] * Bs[ki, tx % 16 * 4 + j]
                for i, j in T.grid(4, 4):
                    C[by * 64 + tx // 16 * 4 + i, bx * 64 + tx % 16 * 4 + j] = c[i, j]
