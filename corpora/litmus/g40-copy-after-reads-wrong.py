# SPDX-License-Identifier: Apache-2.0
# G40 wrong: race
# No barrier stands between the reads of the other threads and the copy that
# fills the slot again.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((256,), "float32"), C: T.Buffer((256,), "float32")):
    S = T.alloc_buffer((128,), "float32", scope="shared")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        for k in range(2):
            T.evaluate(T.ptx_cp_async(S.data, tx * 4, A.data, k * 128 + tx * 4, 16, dtype="float32"))
            T.evaluate(T.ptx_commit_group())
            T.evaluate(T.ptx_wait_group(0))
            T.evaluate(T.tvm_storage_sync("shared"))
            for i in range(4):
                C[k * 128 + tx * 4 + i] = S[127 - (tx * 4 + i)]
