# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(im2col: T.Buffer((128, 128), "int8"), kernel: T.Buffer((8, 128), "int8"), out: T.Buffer((128, 8), "int32")):
    Ash = T.alloc_buffer((5120,), "int8", scope="shared")
    Bsh = T.alloc_buffer((640,), "int8", scope="shared")
    af = T.alloc_buffer((64, 16), "int8", scope="wmma.matrix_a")
    bf = T.alloc_buffer((8, 16), "int8", scope="wmma.matrix_b")
    cf = T.alloc_buffer((64, 8), "int32", scope="wmma.accumulator")
    for bx in T.thread_binding(1, thread="blockIdx.x"):
        for by in T.thread_binding(1, thread="blockIdx.y"):
            for ty in T.thread_binding(2, thread="threadIdx.y"):
                for tx in T.thread_binding(32, thread="threadIdx.x"):
                    for m in range(2):
                        for t in range(2):
                            T.evaluate(T.tvm_fill_fragment(cf.data, 32, 8, 16, t, 0))
                        T.evaluate(T.tvm_storage_sync("shared"))
                        for q in range(4):
                            for v in T.vectorized(8):
                                Ash[q * 640 + ty * 320 + tx // 4 * 40 + tx % 4 * 8 + v] = im2col[bx * 128 + m * 64 + q * 16 + ty * 8 + tx // 4, tx % 4 * 8 + v]
                        for v in T.vectorized(4):
                            Bsh[ty * 160 + tx // 8 * 40 + tx % 8 * 4 + v] = kernel[by * 8 + ty * 4 + tx // 8, tx % 8 * 4 + v]
                        T.evaluate(T.tvm_storage_sync("shared"))
                        for ko in range(3):
                            for q in range(4):
                                for v in T.vectorized(8):
                                    Ash[(ko + 1) % 2 * 2560 + q * 640 + ty * 320 + tx // 4 * 40 + tx % 4 * 8 + v] = im2col[bx * 128 + m * 64 + q * 16 + ty * 8 + tx // 4, (ko + 1) * 32 + tx % 4 * 8 + v]
                            for v in T.vectorized(4):
                                Bsh[(ko + 1) % 2 * 320 + ty * 160 + tx // 8 * 40 + tx % 8 * 4 + v] = kernel[by * 8 + ty * 4 + tx // 8, (ko + 1) * 32 + tx % 8 * 4 + v]
                            for ki in range(2):
                                for t in range(2):
                                    T.evaluate(T.tvm_load_matrix_sync(af.data, 32, 8, 16, t, T.tvm_access_ptr(T.type_annotation("int8"), Ash.data, ko % 2 * 2560 + t * 1280 + ki * 16, 1280, 1), 40, "row_major"))
                                T.evaluate(T.tvm_load_matrix_sync(bf.data, 32, 8, 16, 0, T.tvm_access_ptr(T.type_annotation("int8"), Bsh.data, ko % 2 * 320 + ki * 16, 320, 1), 40, "col_major"))
                                for t in range(2):
                                    T.evaluate(T.tvm_mma_sync(cf.data, t, af.data, t, bf.data, 0, cf.data, t))
                            T.evaluate(T.tvm_storage_sync("shared"))
                        for ki in range(2):
                            for t in range(2):
                                T.evaluate(T.tvm_load_matrix_sync(af.data, 32, 8, 16, t, T.tvm_access_ptr(T.type_annotation("int8"), Ash.data, 2560 + t * 1280 + ki * 16, 1280, 1), 40, "row_major"))
                            T.evaluate(T.tvm_load_matrix_sync(bf.data, 32, 8, 16, 0, T.tvm_access_ptr(T.type_annotation("int8"), Bsh.data, 320 + ki * 16, 320, 1), 40, "col_major"))
                            for t in range(2):
                                T.evaluate(T.tvm_mma_sync(cf.data, t, af.data, t, bf.data, 0, cf.data, t))
                        T.evaluate(T.tvm_store_matrix_sync(cf.data, 32, 8, 16, ty, T.tvm_access_ptr(T.type_annotation("int32"), out.data, (bx * 128 + m * 64 + ty * 32) * 8 + by * 8, 256, 2), 8, "row_major"))
