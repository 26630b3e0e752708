# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 32), "float32"), B: T.Buffer((32, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    As = T.alloc_buffer((192,), "float32", scope="shared")
    Bs = T.alloc_buffer((192,), "float32", scope="shared")
    c = T.alloc_buffer((2, 2), "float32", scope="local")
    for by in T.thread_binding(1, thread="blockIdx.y"):
        for bx in T.thread_binding(1, thread="blockIdx.x"):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                for i, j in T.grid(2, 2):
                    c[i, j] = T.float32(0)
                for v in T.vectorized(4):
                    As[0 * 64 + tx * 4 + v] = A[by * 8 + tx // 2, tx % 2 * 4 + v]
                for v in T.vectorized(4):
                    Bs[0 * 64 + tx * 4 + v] = B[tx // 2, bx * 8 + tx % 2 * 4 + v]
                for v in T.vectorized(4):
                    As[1 * 64 + tx * 4 + v] = A[by * 8 + tx // 2, 1 * 8 + tx % 2 * 4 + v]
                for v in T.vectorized(4):
                    Bs[1 * 64 + tx * 4 + v] = B[1 * 8 + tx // 2, bx * 8 + tx % 2 * 4 + v]
                for ko in range(4):
                    T.evaluate(T.tvm_storage_sync("shared"))
                    if ko + 2 < 4:
                        for v in T.vectorized(4):
                            As[(ko + 2) % 3 * 64 + tx * 4 + v] = A[by * 8 + tx // 2, (ko + 2) * 8 + tx % 2 * 4 + v]
                        for v in T.vectorized(4):
                            Bs[(ko + 2) % 3 * 64 + tx * 4 + v] = B[(ko + 2) * 8 + tx // 2, bx * 8 + tx % 2 * 4 + v]
                    for ki, i, j in T.grid(8, 2, 2):
                        c[i, j] = c[i, j] + As[ko % 3 * 64 + (tx // 4 * 2 + i) * 8 + ki] * Bs[ko % 3 * 64 + ki * 8 + tx % 4 * 2 + j]
                for i, j in T.grid(2, 2):
                    C[by * 8 + tx // 4 * 2 + i, bx * 8 + tx % 4 * 2 + j] = c[i, j]
