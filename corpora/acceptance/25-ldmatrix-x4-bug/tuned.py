# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float16"), C: T.Buffer((32, 8), "float16")):
    s = T.alloc_buffer((16, 16), "float16", scope="shared")
    a = T.alloc_buffer((8,), "float16", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        for i in range(8):
            s[tx // 2, tx % 2 * 8 + i] = A[tx // 2, tx % 2 * 8 + i]
        T.evaluate(T.tvm_storage_sync("shared"))
        T.evaluate(T.ptx_ldmatrix(False, 4, ".b16", a.data, 0, s.data, tx % 8 * 16 + tx // 16 * 128 + tx // 8 % 2 * 8, dtype="float16"))
        for i in range(8):
            C[tx, i] = a[i]
