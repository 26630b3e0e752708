# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((1,), "float32")):
    M = T.alloc_buffer((1,), "int32")
    V = T.alloc_buffer((1,), "float32")
    for ko in range(4):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("s"):
                vk = T.axis.reduce(32, tx * 4 + ko)
                with T.init():
                    M[0] = 0
                    V[0] = T.float32(-3.4028234663852886e+38)
                m: T.let[T.int32] = T.Select(V[0] >= A[vk], M[0], vk)
                v: T.let[T.float32] = T.Select(V[0] >= A[vk], V[0], A[vk])
                M[0] = m
                V[0] = v
    C[0] = B[M[0]]
