# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float16"), C: T.Buffer((16, 32), "float16")):
    S = T.alloc_buffer((512,), "float16", scope="shared")
    a = T.alloc_buffer((8,), "float16", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        for u, i in T.grid(2, 8):
            S[(u * 8 + tx // 4) * 32 + T.bitwise_xor(tx % 4, tx // 8) * 8 + i] = A[u * 8 + tx // 4, tx % 4 * 8 + i]
        T.evaluate(T.tvm_storage_sync("shared"))
        for h in range(2):
            T.evaluate(T.ptx_ldmatrix(False, 4, ".b16", a.data, 0, S.data, tx % 16 * 32 + T.bitwise_xor(h * 2 + tx // 16, tx % 4) * 8, dtype="float16"))
            for i in range(8):
                C[i // 2 % 2 * 8 + tx // 4, h * 16 + i // 4 * 8 + tx % 4 * 2 + i % 2] = a[i]
