# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 9), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        for k in range(tx + 1):
            for i in range(4):
                with T.sblock("sum"):
                    v = T.axis.spatial(32, i * 8 + tx)
                    vk = T.axis.reduce(9, k)
                    with T.init():
                        C[v] = T.float32(0)
                    C[v] = C[v] + A[v, vk]
