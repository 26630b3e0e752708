# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "int32"), C: T.Buffer((2,), "int32")):
    red = T.alloc_buffer((1,), "int32", scope="local")
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            with T.attr(T.comm_reducer(lambda x, y: T.max(x, y), [T.int32(5)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                T.tvm_thread_allreduce(T.uint32(1), A[bx, tx], T.bool(True), red[0], tx)
            if tx == 0:
                C[bx] = red[0]
