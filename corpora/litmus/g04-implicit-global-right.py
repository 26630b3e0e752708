# SPDX-License-Identifier: Apache-2.0
# G4 right: ok
# A written barrier of the block orders global memory.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx]
        T.evaluate(T.tvm_storage_sync("shared"))
        C[tx] = B[63 - tx]
