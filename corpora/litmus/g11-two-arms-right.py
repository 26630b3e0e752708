# SPDX-License-Identifier: Apache-2.0
# G11 right: ok
# Both arms meet at one barrier statement.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx < 32:
            C[tx] = A[tx]
        else:
            C[tx] = A[tx] + 1
        T.evaluate(T.tvm_storage_sync("shared"))
