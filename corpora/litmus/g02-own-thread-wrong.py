# SPDX-License-Identifier: Apache-2.0
# G2 wrong: race
# Another thread's element is read with no barrier in between.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        S[tx] = A[tx]
        C[tx] = S[63 - tx]
        T.evaluate(T.tvm_storage_sync("shared"))
