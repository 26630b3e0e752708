# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float16"), C: T.Buffer((16, 16), "float16")):
    a = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_a")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.evaluate(T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, tx // 16 * 256, 256, 1), 16, "row_major"))
        for i in range(8):
            C[tx // 2, tx % 2 * 8 + i] = A[tx // 2, tx % 2 * 8 + i]
