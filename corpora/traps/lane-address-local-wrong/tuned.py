# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float16"), C: T.Buffer((8, 8), "float16")):
    S = T.alloc_buffer((8, 8), "float16", scope="shared")
    a = T.alloc_buffer((2,), "float16", scope="local")
    L = T.alloc_buffer((1,), "int32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        for i in range(2):
            S[tx // 4, tx % 4 * 2 + i] = A[tx // 4, tx % 4 * 2 + i]
        L[0] = tx // 4 * 8
        T.evaluate(T.tvm_storage_sync("shared"))
        T.evaluate(T.ptx_ldmatrix(False, 1, ".b16", a.data, 0, S.data, L[0], dtype="float16"))
        for i in range(2):
            C[tx // 4, tx % 4 * 2 + i] = a[i]
