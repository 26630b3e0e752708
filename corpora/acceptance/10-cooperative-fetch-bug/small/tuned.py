# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    As = T.alloc_buffer((4, 4), "float32", scope="shared")
    Bs = T.alloc_buffer((4, 4), "float32", scope="shared")
    c = T.alloc_buffer((2, 2), "float32", scope="local")
    for by in T.thread_binding(2, thread="blockIdx.y"):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                for i, j in T.grid(2, 2):
                    c[i, j] = T.float32(0)
                for ko in range(2):
                    T.evaluate(T.tvm_storage_sync("shared"))
                    for q in range(4):
                        As[(q * 4 + tx) // (2 * 4), (q * 4 + tx) % 4] = A[by * 4 + (q * 4 + tx) // 4, ko * 4 + (q * 4 + tx) % 4]
                    for q in range(4):
                        Bs[(q * 4 + tx) // 4, (q * 4 + tx) % 4] = B[ko * 4 + (q * 4 + tx) // 4, bx * 4 + (q * 4 + tx) % 4]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    for ki, i, j in T.grid(4, 2, 2):
                        c[i, j] = c[i, j] + As[tx // 2 * 2 + i, ki] * Bs[ki, tx % 2 * 2 + j]
                for i, j in T.grid(2, 2):
                    C[by * 4 + tx // 2 * 2 + i, bx * 4 + tx % 2 * 2 + j] = c[i, j]
