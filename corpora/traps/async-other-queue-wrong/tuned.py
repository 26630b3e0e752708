# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    S = T.alloc_buffer((16,), "float32", scope="shared")
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        with T.attr(0, "async_commit_queue_scope", 1):
            T.evaluate(T.ptx_cp_async(S.data, tx, A.data, tx, 4, dtype="float32"))
        with T.attr(0, "async_wait_queue_scope", 0):
            with T.attr(0, "async_wait_inflight_count", 0):
                C[tx] = S[tx]
