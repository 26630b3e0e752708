# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float16"), B: T.Buffer((32, 16), "float16"), C: T.Buffer((16, 16), "float32")):
    As = T.alloc_buffer((16, 16), "float16", scope="shared")
    Bs = T.alloc_buffer((16, 16), "float16", scope="shared")
    a = T.alloc_buffer((8,), "float16", scope="local")
    b = T.alloc_buffer((8,), "float16", scope="local")
    c = T.alloc_buffer((8,), "float32", scope="local")
    for by in T.thread_binding(1, thread="blockIdx.y"):
        for bx in T.thread_binding(1, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                for i in range(8):
                    c[i] = T.float32(0)
                for ko in range(2):
                    for i in range(8):
                        As[tx // 2, tx % 2 * 8 + i] = A[by * 16 + tx // 2, ko * 16 + tx % 2 * 8 + i]
                        Bs[tx // 2, tx % 2 * 8 + i] = B[ko * 16 + tx // 2, bx * 16 + tx % 2 * 8 + i]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    T.evaluate(T.ptx_ldmatrix(False, 4, ".b16", a.data, 0, As.data, tx % 16 * 16 + tx // 16 * 8, dtype="float16"))
                    T.evaluate(T.ptx_ldmatrix(True, 4, ".b16", b.data, 0, Bs.data, tx % 16 * 16 + tx // 16 * 8, dtype="float16"))
                    for h in range(2):
                        T.evaluate(T.ptx_mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, 0, b.data, h * 4, c.data, h * 4, False, dtype="float32"))
                    T.evaluate(T.tvm_storage_sync("shared"))
                for h, i in T.grid(2, 4):
                    C[by * 16 + tx // 4 + 8 * (i // 2), bx * 16 + h * 8 + tx % 4 * 2 + i % 2] = c[h * 4 + i]
