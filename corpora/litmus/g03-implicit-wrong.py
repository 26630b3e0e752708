# SPDX-License-Identifier: Apache-2.0
# G3 wrong: race
# One barrier is written, elsewhere, so none is supplied here.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        T.evaluate(T.tvm_storage_sync("shared"))
        S[tx] = A[tx]
        C[tx] = S[63 - tx]
