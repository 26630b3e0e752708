# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((16,), "float32")):
    S = T.alloc_buffer((32,), "float32", scope="shared")
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        T.evaluate(T.ptx_cp_async(S.data, tx, A.data, tx, 4, T.Cast("uint8", tx * 32), dtype="float32"))
        T.evaluate(T.ptx_commit_group())
        T.evaluate(T.ptx_wait_group(0))
        C[tx] = S[tx]
