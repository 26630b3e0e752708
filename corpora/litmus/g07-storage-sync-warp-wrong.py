# SPDX-License-Identifier: Apache-2.0
# G7 wrong: race
# It orders nothing but that scope: the element is in global memory.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        B[tx] = A[tx]
        T.evaluate(T.tvm_storage_sync("warp"))
        C[tx] = B[31 - tx]
