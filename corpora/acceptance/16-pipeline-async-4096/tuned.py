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
                T.evaluate(T.ptx_cp_async(As.data, 0 * 1024 + tx * 4, A.data, (by * 64 + tx // 4) * 4096 + tx % 4 * 4, 16, dtype="float32"))
                T.evaluate(T.ptx_cp_async(Bs.data, 0 * 1024 + tx * 4, B.data, (tx // 16) * 4096 + bx * 64 + tx % 16 * 4, 16, dtype="float32"))
                T.evaluate(T.ptx_commit_group())
                T.evaluate(T.ptx_cp_async(As.data, 1 * 1024 + tx * 4, A.data, (by * 64 + tx // 4) * 4096 + 1 * 16 + tx % 4 * 4, 16, dtype="float32"))
                T.evaluate(T.ptx_cp_async(Bs.data, 1 * 1024 + tx * 4, B.data, (1 * 16 + tx // 16) * 4096 + bx * 64 + tx % 16 * 4, 16, dtype="float32"))
                T.evaluate(T.ptx_commit_group())
                for ko in range(256):
                    T.evaluate(T.ptx_wait_group(1))
                    T.evaluate(T.tvm_storage_sync("shared"))
                    if ko + 2 < 256:
                        T.evaluate(T.ptx_cp_async(As.data, (ko + 2) % 3 * 1024 + tx * 4, A.data, (by * 64 + tx // 4) * 4096 + (ko + 2) * 16 + tx % 4 * 4, 16, dtype="float32"))
                        T.evaluate(T.ptx_cp_async(Bs.data, (ko + 2) % 3 * 1024 + tx * 4, B.data, ((ko + 2) * 16 + tx // 16) * 4096 + bx * 64 + tx % 16 * 4, 16, dtype="float32"))
                    T.evaluate(T.ptx_commit_group())
                    for ki, i, j in T.grid(16, 4, 4):
                        c[i, j] = c[i, j] + As[ko % 3 * 1024 + (tx // 16 * 4 + i) * 16 + ki] * Bs[ko % 3 * 1024 + ki * 64 + tx % 16 * 4 + j]
                for i, j in T.grid(4, 4):
                    C[by * 64 + tx // 16 * 4 + i, bx * 64 + tx % 16 * 4 + j] = c[i, j]
