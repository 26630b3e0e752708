# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), S: T.Buffer((2, 8), "float32")):
    m = T.alloc_buffer((2,), "float32", scope="shared")
    z = T.alloc_buffer((2,), "float32", scope="shared")
    for i in T.thread_binding(2, thread="blockIdx.x"):
        for k in T.thread_binding(2, thread="threadIdx.x"):
            for r in range(4):
                with T.sblock("max"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.reduce(8, r * 2 + k)
                    with T.init():
                        m[vi] = T.float32("-inf")
                    m[vi] = T.max(m[vi], A[vi, vk])
        for k in T.thread_binding(2, thread="threadIdx.x"):
            for r in range(4):
                with T.sblock("sum"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.reduce(8, r * 2 + k)
                    with T.init():
                        z[vi] = T.float32(0)
                    z[vi] = z[vi] + T.exp(A[vi, vk] - m[vi])
        for k in T.thread_binding(2, thread="threadIdx.x"):
            for r in range(4):
                with T.sblock("div"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.spatial(8, r * 2 + k)
                    S[vi, vk] = T.exp(A[vi, vk] - m[vi]) / z[vi]
