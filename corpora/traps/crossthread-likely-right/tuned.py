# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 16), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            for k in range(4):
                with T.sblock("r"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(16, tx * 4 + k)
                    T.where(T.likely(T.And(i < 5, tx * 4 + k < 13)))
                    with T.init():
                        C[vi] = 0
                    C[vi] = C[vi] + A[vi, vk]
