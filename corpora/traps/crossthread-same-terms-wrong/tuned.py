# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), C: T.Buffer((2,), "float32")):
    for i in T.thread_binding(2, thread="blockIdx.x"):
        for j in T.thread_binding(2, thread="threadIdx.y"):
            for k in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("c"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.reduce(8, k)
                    with T.init():
                        C[vi] = T.float32(0)
                    C[vi] = C[vi] + A[vi, vk]
