# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((8,), "int32")):
    S = T.alloc_buffer((8,), "int32", scope="shared")
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        S[0] = 0
        S[0] = 1
        T.evaluate(T.tvm_storage_sync("shared"))
        C[tx] = S[0]
