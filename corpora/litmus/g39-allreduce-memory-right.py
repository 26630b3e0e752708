# SPDX-License-Identifier: Apache-2.0
# G39 right: ok
# A barrier orders the stores and the reads.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    red = T.alloc_buffer((1,), "float32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        B[tx] = A[tx]
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), red[0], tx)
        T.evaluate(T.tvm_storage_sync("shared"))
        C[tx] = red[0] + B[31 - tx]
