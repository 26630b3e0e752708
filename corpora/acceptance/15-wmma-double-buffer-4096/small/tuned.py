# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 48), "float16"), B: T.Buffer((48, 64), "float16"), C: T.Buffer((64, 64), "float32")):
    As = T.alloc_buffer((2, 64, 16), "float16", scope="shared")
    Bs = T.alloc_buffer((2, 16, 64), "float16", scope="shared")
    af = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_a")
    bf = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_b")
    cf = T.alloc_buffer((64, 16), "float32", scope="wmma.accumulator")
    for by in T.thread_binding(1, thread="blockIdx.y"):
        for bx in T.thread_binding(1, thread="blockIdx.x"):
            for ty in T.thread_binding(4, thread="threadIdx.y"):
                for tx in T.thread_binding(32, thread="threadIdx.x"):
                    for j in range(4):
                        T.evaluate(T.tvm_fill_fragment(cf.data, 16, 16, 16, j, T.float32(0)))
                    for q in range(8):
                        As[0, q * 8 + ty * 2 + tx // 16, tx % 16] = A[by * 64 + q * 8 + ty * 2 + tx // 16, tx % 16]
                    for q in range(8):
                        Bs[0, q * 2 + ty // 2, ty % 2 * 32 + tx] = B[q * 2 + ty // 2, bx * 64 + ty % 2 * 32 + tx]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    for ko in range(2):
                        for q in range(8):
                            As[(ko + 1) % 2, q * 8 + ty * 2 + tx // 16, tx % 16] = A[by * 64 + q * 8 + ty * 2 + tx // 16, (ko + 1) * 16 + tx % 16]
                        for q in range(8):
                            Bs[(ko + 1) % 2, q * 2 + ty // 2, ty % 2 * 32 + tx] = B[(ko + 1) * 16 + q * 2 + ty // 2, bx * 64 + ty % 2 * 32 + tx]
                        T.evaluate(T.tvm_load_matrix_sync(af.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), As.data, ko % 2 * 1024 + ty * 256, 256, 1), 16, "row_major"))
                        for j in range(4):
                            T.evaluate(T.tvm_load_matrix_sync(bf.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), Bs.data, ko % 2 * 1024 + j * 16, 1024, 1), 64, "row_major"))
                            T.evaluate(T.tvm_mma_sync(cf.data, j, af.data, 0, bf.data, 0, cf.data, j))
                        T.evaluate(T.tvm_storage_sync("shared"))
                    T.evaluate(T.tvm_load_matrix_sync(af.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), As.data, ty * 256, 256, 1), 16, "row_major"))
                    for j in range(4):
                        T.evaluate(T.tvm_load_matrix_sync(bf.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), Bs.data, j * 16, 1024, 1), 64, "row_major"))
                        T.evaluate(T.tvm_mma_sync(cf.data, j, af.data, 0, bf.data, 0, cf.data, j))
                    for j in range(4):
                        T.evaluate(T.tvm_store_matrix_sync(cf.data, 16, 16, 16, j, T.tvm_access_ptr(T.type_annotation("float32"), C.data, (by * 64 + ty * 16) * 64 + bx * 64 + j * 16, 1024, 2), 64, "row_major"))
