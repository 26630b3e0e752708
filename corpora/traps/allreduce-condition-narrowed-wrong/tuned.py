# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    red = T.alloc_buffer((1,), "int32", scope="local")
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.int32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.Cast("uint8", tx * 32), red[0], tx)
        C[tx] = red[0]
