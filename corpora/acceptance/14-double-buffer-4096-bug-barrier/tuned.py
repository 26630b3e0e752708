# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4096, 4096), "float32"), B: T.Buffer((4096, 4096), "float32"), C: T.Buffer((4096, 4096), "float32")):
    As = T.alloc_buffer((2, 128, 32), "float32", scope="shared")
    Bs = T.alloc_buffer((2, 32, 128), "float32", scope="shared")
    c = T.alloc_buffer((8, 8), "float32", scope="local")
    for by in T.thread_binding(32, thread="blockIdx.y"):
        for bx in T.thread_binding(32, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                for i, j in T.grid(8, 8):
                    c[i, j] = T.float32(0)
                for q in range(16):
                    As[0, (q * 256 + tx) // 32, (q * 256 + tx) % 32] = A[by * 128 + (q * 256 + tx) // 32, (q * 256 + tx) % 32]
                for q in range(16):
                    Bs[0, (q * 256 + tx) // 128, (q * 256 + tx) % 128] = B[(q * 256 + tx) // 128, bx * 128 + (q * 256 + tx) % 128]
                T.evaluate(T.tvm_storage_sync("shared"))
                for ko in range(127):
                    for q in range(16):
                        As[(ko + 1) % 2, (q * 256 + tx) // 32, (q * 256 + tx) % 32] = A[by * 128 + (q * 256 + tx) // 32, (ko + 1) * 32 + (q * 256 + tx) % 32]
                    for q in range(16):
                        Bs[(ko + 1) % 2, (q * 256 + tx) // 128, (q * 256 + tx) % 128] = B[(ko + 1) * 32 + (q * 256 + tx) // 128, bx * 128 + (q * 256 + tx) % 128]
                    for ki, i, j in T.grid(32, 8, 8):
                        c[i, j] = c[i, j] + As[ko % 2, tx // 16 * 8 + i, ki] * Bs[ko % 2, ki, tx % 16 * 8 + j]
                for ki, i, j in T.grid(32, 8, 8):
                    c[i, j] = c[i, j] + As[1, tx // 16 * 8 + i, ki] * Bs[1, ki, tx % 16 * 8 + j]
                for i, j in T.grid(8, 8):
                    C[by * 128 + tx // 16 * 8 + i, bx * 128 + tx % 16 * 8 + j] = c[i, j]
