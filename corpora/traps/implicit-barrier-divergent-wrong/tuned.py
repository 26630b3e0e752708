# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,), "float32", scope="shared")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx < 32:
            S[tx] = A[tx]
            C[tx] = S[31 - tx]
        else:
            C[tx] = T.float32(0)
