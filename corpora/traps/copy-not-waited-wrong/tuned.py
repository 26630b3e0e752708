# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32")):
    S = T.alloc_buffer((128,), "float32", scope="shared")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.evaluate(T.ptx_cp_async(S.data, tx * 4, A.data, tx * 4, 16, dtype="float32"))
        T.evaluate(T.ptx_commit_group())
        T.evaluate(T.ptx_wait_group(1))
        for i in range(4):
            C[tx * 4 + i] = S[tx * 4 + i]
        T.evaluate(T.ptx_wait_group(0))
        T.evaluate(T.tvm_storage_sync("shared"))
