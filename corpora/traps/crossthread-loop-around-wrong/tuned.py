# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((2,), "float32"), D: T.Buffer((2,), "float32")):
    for i in T.thread_binding(2, thread="blockIdx.x"):
        for o in range(2):
            for k in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("c"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.reduce(16, o * 8 + k)
                    with T.init():
                        C[vi] = T.float32(0)
                    C[vi] = C[vi] + A[vi, vk]
            D[o] = T.float32(1)
