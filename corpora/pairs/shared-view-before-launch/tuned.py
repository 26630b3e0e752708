# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((4,), "int32")):
    S = T.alloc_buffer((4,), "int32", scope="shared")
    D = T.decl_buffer((2,), "int32", data=S.data, elem_offset=1, scope="shared")
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(2, thread="threadIdx.x"):
            if tx == 0:
                D[0] = 9 + bx
            T.evaluate(T.tvm_storage_sync("shared"))
            C[bx * 2 + tx] = S[1]
