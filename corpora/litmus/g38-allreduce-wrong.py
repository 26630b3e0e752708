# SPDX-License-Identifier: Apache-2.0
# G38 wrong: barrier divergence
# Half of the threads reach it.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    red = T.alloc_buffer((1,), "float32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        if tx < 16:
            with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), red[0], tx)
        C[tx] = A[tx]
