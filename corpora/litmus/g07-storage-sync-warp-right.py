# SPDX-License-Identifier: Apache-2.0
# G7 right: ok
# The barrier for scope warp orders the lanes' accesses to that scope.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    W = T.alloc_buffer((32,), "int32", scope="warp")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        W[tx] = A[tx]
        T.evaluate(T.tvm_storage_sync("warp"))
        C[tx] = W[31 - tx]
