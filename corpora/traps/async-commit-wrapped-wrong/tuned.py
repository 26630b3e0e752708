# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((16,), "float32")):
    S = T.alloc_buffer((32,), "float32", scope="shared")
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        T.evaluate(T.ptx_cp_async(S.data, tx, A.data, tx, 4, dtype="float32"))
        T.evaluate(T.ptx_commit_group())
        T.evaluate(T.ptx_cp_async(S.data, tx + 16, A.data, tx + 16, 4, dtype="float32"))
        if T.Cast("uint8", tx + 250) >= T.uint8(240):
            T.evaluate(T.ptx_commit_group())
        T.evaluate(T.ptx_wait_group(1))
        C[tx] = S[tx]
