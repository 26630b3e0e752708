# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((2,), "float32"), I: T.Buffer((2,), "int32")):
    r0 = T.alloc_buffer((1,), "int32", scope="local")
    r1 = T.alloc_buffer((1,), "float32", scope="local")
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            with T.attr(T.comm_reducer(lambda x0, x1, y0, y1: (T.Select(x1 > y1 or (x1 == y1 and x0 < y0), x0, y0), T.Select(x1 > y1, x1, y1)), [T.int32(-1), T.float32(-3.4028234663852886e38)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                T.tvm_thread_allreduce(T.uint32(2), tx, A[bx, tx], T.bool(True), r0[0], r1[0], tx)
            if tx == 0:
                I[bx] = r0[0]
                C[bx] = r1[0]
