# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 1), "float16"), B: T.Buffer((1, 1), "float16"), C: T.Buffer((1, 1), "float16")):
    F = T.alloc_buffer((3,), "float16", scope="wmma.accumulator")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.tvm_fill_fragment(F.data, 1, 1, 1, 2, T.float16(5))
        T.tvm_load_matrix_sync(F.data, 1, 1, 1, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, 0, 1, 1), 1, "row_major")
        T.tvm_load_matrix_sync(F.data, 1, 1, 1, 1, T.tvm_access_ptr(T.type_annotation("float16"), B.data, 0, 1, 1), 1, "row_major")
        T.tvm_mma_sync(F.data, 0, F.data, 0, F.data, 1, F.data, 2)
        T.tvm_store_matrix_sync(F.data, 1, 1, 1, 0, T.tvm_access_ptr(T.type_annotation("float16"), C.data, 0, 1, 2), 1, "row_major")
