# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float16"), P: T.Buffer((4,), "int32"), C: T.Buffer((32,), "float16")):
    S = T.alloc_buffer((256,), "float16", scope="shared")
    L = T.alloc_buffer((8,), "float16", scope="local")
    F = T.alloc_buffer((256,), "float16", scope="wmma.accumulator")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.evaluate(T.cuda.atomic_add(T.tvm_access_ptr(T.type_annotation("float16"), L.data, 0, 1 // P[0], 3), T.float16(1)))
        C[tx] = A[tx]
