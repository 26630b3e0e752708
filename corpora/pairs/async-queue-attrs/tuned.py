# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((256,), "float32"), C: T.Buffer((256,), "float32")):
    S = T.alloc_buffer((48,), "float32", scope="shared")
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        for i in T.unroll(2):
            if i < 16:
                with T.attr(0, "async_commit_queue_scope", 0):
                    T.evaluate(T.ptx_cp_async(S.data, i % 3 * 16 + tx, A.data, tx * 16 + i, 4, dtype="float32"))
        for i in range(14):
            if i + 2 < 16:
                with T.attr(0, "async_commit_queue_scope", 0):
                    T.evaluate(T.ptx_cp_async(S.data, (i + 2) % 3 * 16 + tx, A.data, tx * 16 + i + 2, 4, dtype="float32"))
            with T.attr(0, "async_wait_queue_scope", 0):
                with T.attr(0, "async_wait_inflight_count", 2):
                    C[tx * 16 + i] = S[i % 3 * 16 + tx] * T.float32(2)
        for i in T.unroll(2):
            with T.attr(0, "async_wait_queue_scope", 0):
                with T.attr(0, "async_wait_inflight_count", 1 - i):
                    C[tx * 16 + i + 14] = S[(i + 14) % 3 * 16 + tx] * T.float32(2)
