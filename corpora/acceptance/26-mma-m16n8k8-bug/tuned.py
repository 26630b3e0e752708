# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4096, 4096), "float16"), B: T.Buffer((4096, 4096), "float16"), C: T.Buffer((4096, 4096), "float32")):
    As = T.alloc_buffer((16, 8), "float16", scope="shared")
    Bs = T.alloc_buffer((8, 8), "float16", scope="shared")
    a = T.alloc_buffer((4,), "float16", scope="local")
    b = T.alloc_buffer((2,), "float16", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    for by in T.thread_binding(256, thread="blockIdx.y"):
        for bx in T.thread_binding(512, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                for i in range(4):
                    c[i] = T.float32(0)
                for ko in range(512):
                    for i in range(4):
                        As[tx // 2, tx % 2 * 4 + i] = A[by * 16 + tx // 2, ko * 8 + tx % 2 * 4 + i]
                    for i in range(2):
                        Bs[tx // 4, tx % 4 * 2 + i] = B[ko * 8 + tx // 4, bx * 8 + tx % 4 * 2 + i]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    T.evaluate(T.ptx_ldmatrix(False, 2, ".b16", a.data, 0, As.data, tx % 16 * 8, dtype="float16"))
                    T.evaluate(T.ptx_ldmatrix(False, 1, ".b16", b.data, 0, Bs.data, tx % 8 * 8, dtype="float16"))
                    T.evaluate(T.ptx_mma("m16n8k8", "row", "col", "fp16", "fp16", "fp32", a.data, 0, b.data, 0, c.data, 0, False, dtype="float32"))
                    T.evaluate(T.tvm_storage_sync("shared"))
                for i in range(4):
                    C[by * 16 + tx // 4 + 8 * (i // 2), bx * 8 + tx % 4 * 2 + i % 2] = c[i]
