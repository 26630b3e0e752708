# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "int32"), C: T.Buffer((32,), "int32")):
    M = T.alloc_buffer((1,), "float32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        M[0] = T.Cast("float32", T.uint32(4294967295))
        C[tx] = T.tvm_warp_shuffle(M[0], A[tx], (tx + 1) % 32, 32, 32)
