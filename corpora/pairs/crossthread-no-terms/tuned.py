# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((3, 24), "float32"), C: T.Buffer((3,), "float32")):
    for i in T.thread_binding(3, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("s"):
                vi = T.axis.spatial(3, i)
                vk = T.axis.reduce(8, tx)
                T.where(tx >= 8)
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
