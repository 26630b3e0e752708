# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float16"), B: T.Buffer((32, 16), "float16"), C: T.Buffer((16, 16), "float32")):
    a = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_a")
    b = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_b")
    c = T.alloc_buffer((16, 16), "float32", scope="wmma.accumulator")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.evaluate(T.tvm_fill_fragment(c.data, 16, 16, 16, 0, T.float32(0)))
        for k in range(2):
            T.evaluate(T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, k * 16, 496, 1), 32, "row_major"))
            T.evaluate(T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), B.data, k * 256, 256, 1), 16, "row_major"))
            T.evaluate(T.tvm_mma_sync(c.data, 0, a.data, 0, b.data, 0, c.data, 0))
        T.evaluate(T.tvm_store_matrix_sync(c.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, 256, 2), 16, "row_major"))
