# SPDX-License-Identifier: Apache-2.0
# G11 wrong: barrier divergence
# The barriers in the two arms are two barriers.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx < 32:
            C[tx] = A[tx]
            T.evaluate(T.tvm_storage_sync("shared"))
        else:
            C[tx] = A[tx] + 1
            T.evaluate(T.tvm_storage_sync("shared"))
