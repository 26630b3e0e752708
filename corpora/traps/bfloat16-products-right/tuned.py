# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 64), "bfloat16"), B: T.Buffer((64, 16), "bfloat16"), C: T.Buffer((32, 16), "float32")):
    As = T.alloc_buffer((2, 16, 16), "bfloat16", scope="shared")
    Bs = T.alloc_buffer((2, 16, 16), "bfloat16", scope="shared")
    a = T.alloc_buffer((8,), "bfloat16", scope="local")
    b = T.alloc_buffer((8,), "bfloat16", scope="local")
    c = T.alloc_buffer((8,), "float32", scope="local")
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.evaluate(T.mma_fill(8, c.data, 0, dtype="float32"))
            for i in range(8):
                As[0, tx // 2, tx % 2 * 8 + i] = A[bx * 16 + tx // 2, tx % 2 * 8 + i]
                Bs[0, tx // 2, tx % 2 * 8 + i] = B[tx // 2, tx % 2 * 8 + i]
            T.evaluate(T.tvm_storage_sync("shared"))
            for ko in range(4):
                if ko < 3:
                    for i in range(8):
                        As[(ko + 1) % 2, tx // 2, tx % 2 * 8 + i] = A[bx * 16 + tx // 2, (ko + 1) * 16 + tx % 2 * 8 + i]
                        Bs[(ko + 1) % 2, tx // 2, tx % 2 * 8 + i] = B[(ko + 1) * 16 + tx // 2, tx % 2 * 8 + i]
                T.evaluate(T.ptx_ldmatrix(False, 4, ".b16", a.data, 0, T.tvm_access_ptr(T.type_annotation("bfloat16"), As.data, ko % 2 * 256, 256, 1), tx % 16 * 16 + tx // 16 * 8, dtype="bfloat16"))
                T.evaluate(T.ptx_ldmatrix(True, 4, ".b16", b.data, 0, T.tvm_access_ptr(T.type_annotation("bfloat16"), Bs.data, ko % 2 * 256, 256, 1), tx % 16 * 16 + tx // 16 * 8, dtype="bfloat16"))
                for h in range(2):
                    T.evaluate(T.ptx_mma("m16n8k16", "row", "col", "bf16", "bf16", "fp32", a.data, 0, b.data, h * 4, c.data, h * 4, False, dtype="float32"))
                T.evaluate(T.tvm_storage_sync("shared"))
            for i in range(8):
                C[bx * 16 + i // 2 % 2 * 8 + tx // 4, i // 4 * 8 + tx % 4 * 2 + i % 2] = c[i]
