# SPDX-License-Identifier: Apache-2.0
# G6 wrong: race
# It orders the threads of one block; the element is another block's.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            B[bx * 32 + tx] = A[bx * 32 + tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            C[bx * 32 + tx] = B[63 - (bx * 32 + tx)]
