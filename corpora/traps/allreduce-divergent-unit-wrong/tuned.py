# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    red = T.alloc_buffer((1,), "float32", scope="local")
    for ty in T.thread_binding(16, thread="threadIdx.y"):
        for tx in T.thread_binding(1, thread="threadIdx.x"):
            red[0] = A[ty]
            if ty < 8:
                with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                    T.tvm_thread_allreduce(T.uint32(1), A[ty], T.bool(True), red[0], tx)
            C[ty] = red[0]
