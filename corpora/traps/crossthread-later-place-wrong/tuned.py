# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((4, 2), "float32")):
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        for k in T.thread_binding(16, thread="threadIdx.x"):
            for j in range(1, 4):
                with T.sblock("c"):
                    vj = T.axis.spatial(4, j)
                    vi = T.axis.spatial(2, (ty + 3 - j) // 4)
                    vk = T.axis.reduce(16, k)
                    with T.init():
                        C[vj, vi] = T.float32(0)
                    C[vj, vi] = C[vj, vi] + A[vi, vk]
