# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 64), "float32"), B: T.Buffer((64, 4), "float32"), C: T.Buffer((4, 4), "float32")):
    for kb in T.thread_binding(8, thread="blockIdx.y"):
        for b in T.thread_binding(4, thread="blockIdx.x"):
            for t in T.thread_binding(4, thread="threadIdx.x"):
                with T.sblock("part"):
                    vk, vi, vj = T.axis.remap("SSS", [kb, b, t])
                    acc = T.alloc_buffer((1,), "float32", scope="local")
                    acc[0] = T.float32(0)
                    for k in range(8):
                        acc[0] = acc[0] + A[vi, vk * 8 + k] * B[vk * 8 + k, vj]
                    T.evaluate(T.cuda.atomic_add(T.address_of(C[vi, vj]), acc[0]))
