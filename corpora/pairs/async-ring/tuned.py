# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 128), "float16"), C: T.Buffer((128,), "float16")):
    S = T.alloc_buffer((3, 128), "float16", scope="shared")
    sum = T.alloc_buffer((8,), "float16", scope="local")
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        for i in range(8):
            sum[i] = T.float16(0)
        for s in range(2):
            T.evaluate(T.ptx_cp_async(S.data, s * 128 + tx * 8, A.data, s * 128 + tx * 8, 16, dtype="float16"))
            T.evaluate(T.ptx_commit_group())
        for k in range(14):
            T.evaluate(T.ptx_cp_async(S.data, (k + 2) % 3 * 128 + tx * 8, A.data, (k + 2) * 128 + tx * 8, 16, dtype="float16"))
            T.evaluate(T.ptx_commit_group())
            T.evaluate(T.ptx_wait_group(2))
            T.evaluate(T.tvm_storage_sync("shared"))
            for i in range(8):
                sum[i] = sum[i] + S[k % 3, 127 - (tx * 8 + i)]
            T.evaluate(T.tvm_storage_sync("shared"))
        T.evaluate(T.ptx_wait_group(0))
        T.evaluate(T.tvm_storage_sync("shared"))
        for k in range(2):
            for i in range(8):
                sum[i] = sum[i] + S[(k + 14) % 3, 127 - (tx * 8 + i)]
        for i in range(8):
            C[127 - (tx * 8 + i)] = sum[i]
