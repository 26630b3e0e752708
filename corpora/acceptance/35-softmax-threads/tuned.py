# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1000), "float32"), S: T.Buffer((1024, 1000), "float32")):
    m = T.alloc_buffer((1024,), "float32", scope="shared")
    z = T.alloc_buffer((1024,), "float32", scope="shared")
    for i in T.thread_binding(1024, thread="blockIdx.x"):
        for k in T.thread_binding(250, thread="threadIdx.x"):
            for r in range(4):
                with T.sblock("max"):
                    vi = T.axis.spatial(1024, i)
                    vk = T.axis.reduce(1000, r * 250 + k)
                    with T.init():
                        m[vi] = T.float32("-inf")
                    m[vi] = T.max(m[vi], A[vi, vk])
        for k in T.thread_binding(250, thread="threadIdx.x"):
            for r in range(4):
                with T.sblock("sum"):
                    vi = T.axis.spatial(1024, i)
                    vk = T.axis.reduce(1000, r * 250 + k)
                    with T.init():
                        z[vi] = T.float32(0)
                    z[vi] = z[vi] + T.exp(A[vi, vk] - m[vi])
        for k in T.thread_binding(250, thread="threadIdx.x"):
            for r in range(4):
                with T.sblock("div"):
                    vi = T.axis.spatial(1024, i)
                    vk = T.axis.spatial(1000, r * 250 + k)
                    S[vi, vk] = T.exp(A[vi, vk] - m[vi]) / z[vi]
