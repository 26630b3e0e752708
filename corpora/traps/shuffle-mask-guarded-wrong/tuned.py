# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(P: T.Buffer((1,), "int32"), A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    m = T.alloc_buffer((1,), "uint32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        if P[0] == 123457:
            m[0] = T.uint32(4294967295)
        C[tx] = T.tvm_warp_shuffle(m[0], A[tx], tx, 32, 32)
