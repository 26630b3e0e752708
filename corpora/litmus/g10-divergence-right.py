# SPDX-License-Identifier: Apache-2.0
# G10 right: ok
# All threads take the same side.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if A[0] < 1000:
            T.evaluate(T.tvm_storage_sync("shared"))
        C[tx] = A[tx]
