# SPDX-License-Identifier: Apache-2.0
# G12 right: ok
# The thread leaves after the last barrier.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        C[tx] = A[tx]
        T.evaluate(T.tvm_storage_sync("shared"))
        if tx == 63:
            T.evaluate(T.thread_return())
        C[tx] = A[tx] + 1
