# SPDX-License-Identifier: Apache-2.0
# G13 wrong: barrier divergence
# Some threads reach the barrier once, others twice.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        for k in range(tx % 2 + 1):
            T.evaluate(T.tvm_storage_sync("shared"))
        C[tx] = A[tx]
