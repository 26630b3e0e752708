# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float16")):
    F = T.alloc_buffer((256,), "float16", scope="wmma.accumulator")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.tvm_load_matrix_sync(F.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, 240, 16, 1), -16, "row_major")
        T.tvm_store_matrix_sync(F.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), C.data, 0, 256, 2), 16, "row_major")
