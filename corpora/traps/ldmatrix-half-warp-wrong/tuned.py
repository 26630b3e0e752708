# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 16), "float16"), C: T.Buffer((8, 16), "float16")):
    S = T.alloc_buffer((8, 16), "float16", scope="shared")
    a = T.alloc_buffer((4,), "float16", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        for i in range(4):
            S[tx // 4, tx % 4 * 4 + i] = A[tx // 4, tx % 4 * 4 + i]
        T.evaluate(T.tvm_storage_sync("shared"))
        if tx < 16:
            T.evaluate(T.ptx_ldmatrix(False, 2, ".b16", a.data, 0, S.data, tx % 8 * 16 + tx // 8 % 2 * 8, dtype="float16"))
        for i in range(4):
            C[tx // 4, tx % 4 * 4 + i] = S[tx // 4, tx % 4 * 4 + i]
