# SPDX-License-Identifier: Apache-2.0
# G23 wrong: race
# A wait is no barrier: the element was copied by another thread.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32")):
    S = T.alloc_buffer((128,), "float32", scope="shared")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.evaluate(T.tvm_storage_sync("shared"))
        T.evaluate(T.ptx_cp_async(S.data, tx * 4, A.data, tx * 4, 16, dtype="float32"))
        T.evaluate(T.ptx_commit_group())
        T.evaluate(T.ptx_wait_group(0))
        for i in range(4):
            C[tx * 4 + i] = S[127 - (tx * 4 + i)]
