# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), C: T.Buffer((2,), "float32")):
    R = T.alloc_buffer((1,), "float32", scope="local")
    for i in T.thread_binding(2, thread="blockIdx.x"):
        for j in T.thread_binding(2, thread="threadIdx.y"):
            for k in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("c"):
                    vk = T.axis.reduce(8, k)
                    with T.init():
                        R[0] = T.float32(0)
                    R[0] = R[0] + A[i, vk]
                if j == 0 and k == 0:
                    C[i] = R[0]
