# SPDX-License-Identifier: Apache-2.0
# G38 right: ok
# All threads of the block reach it, and all get the sum.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    red = T.alloc_buffer((1,), "float32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), red[0], tx)
        C[tx] = red[0]
