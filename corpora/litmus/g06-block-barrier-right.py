# SPDX-License-Identifier: Apache-2.0
# G6 right: ok
# The barrier for shared orders shared.dyn and global as well.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((64,), "int32", scope="shared.dyn")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        S[tx] = A[tx]
        B[tx] = A[tx]
        T.evaluate(T.tvm_storage_sync("shared"))
        C[tx] = S[63 - tx] + B[63 - tx]
