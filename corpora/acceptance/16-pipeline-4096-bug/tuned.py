# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4096, 4096), "float32"), B: T.Buffer((4096, 4096), "float32"), C: T.Buffer((4096, 4096), "float32")):
    As = T.alloc_buffer((3072,), "float32", scope="shared")
    Bs = T.alloc_buffer((3072,), "float32", scope="shared")
    c = T.alloc_buffer((4, 4), "float32", scope="local")
    for by in T.thread_binding(64, thread="blockIdx.y"):
        for bx in T.thread_binding(64, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                for i, j in T.grid(4, 4):
                    c[i, j] = T.float32(0)
                for v in T.vectorized(4):
                    As[0 * 1024 + tx * 4 + v] = A[by * 64 + tx // 4, tx % 4 * 4 + v]
                for v in T.vectorized(4):
                    Bs[0 * 1024 + tx * 4 + v] = B[tx // 16, bx * 64 + tx % 16 * 4 + v]
                for v in T.vectorized(4):
                    As[1 * 1024 + tx * 4 + v] = A[by * 64 + tx // 4, 1 * 16 + tx % 4 * 4 + v]
                for v in T.vectorized(4):
                    Bs[1 * 1024 + tx * 4 + v] = B[1 * 16 + tx // 16, bx * 64 + tx % 16 * 4 + v]
                for ko in range(256):
                    T.evaluate(T.tvm_storage_sync("shared"))
                    if ko + 2 < 256:
                        for v in T.vectorized(4):
                            As[(ko + 2) % 2 * 1024 + tx * 4 + v] = A[by * 64 + tx // 4, (ko + 2) * 16 + tx % 4 * 4 + v]
                        for v in T.vectorized(4):
                            Bs[(ko + 2) % 2 * 1024 + tx * 4 + v] = B[(ko + 2) * 16 + tx // 16, bx * 64 + tx % 16 * 4 + v]
                    for ki, i, j in T.grid(16, 4, 4):
                        c[i, j] = c[i, j] + As[ko % 3 * 1024 + (tx // 16 * 4 + i) * 16 + ki] * Bs[ko % 3 * 1024 + ki * 64 + tx % 16 * 4 + j]
                for i, j in T.grid(4, 4):
                    C[by * 64 + tx // 16 * 4 + i, bx * 64 + tx % 16 * 4 + j] = c[i, j]
