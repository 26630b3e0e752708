# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 16), "float32")
    C = T.match_buffer(c, (2,), "float32")
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        for k in T.thread_binding(16, thread="threadIdx.x"):
            with T.sblock("c"):
                vi = T.axis.spatial(2, ty // (n + 1))
                vk = T.axis.reduce(16, k)
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
