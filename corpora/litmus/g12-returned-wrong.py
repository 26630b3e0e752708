# SPDX-License-Identifier: Apache-2.0
# G12 wrong: barrier divergence
# A thread that has returned would have had to reach the barrier.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx == 63:
            T.evaluate(T.thread_return())
        T.evaluate(T.tvm_storage_sync("shared"))
        C[tx] = A[tx]
