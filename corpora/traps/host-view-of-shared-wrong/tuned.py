# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((2, 16), "float32")):
    with T.sblock("root"):
        T.reads()
        T.writes()
        S = T.sblock_alloc_buffer((16,), "float32", scope="shared")
        for p in T.parallel(2):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                S[tx] = A[p, tx]
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                C[p, tx] = S[tx]
